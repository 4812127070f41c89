// Whether a credential may be an installation of the App: there is one, it is at the App's own host, and GitHub knows it.
import type { NewCredential } from "@croft/contract";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { parseCredentialScope } from "../secrets/credential-scope.ts";
import { GithubError } from "./github-error.ts";

export async function checkInstallation(
  { github }: Pick<Engine, "github">,
  { kind, url, value }: Pick<NewCredential, "kind" | "url" | "value">,
): Promise<void> {
  if (github === undefined) {
    throw invalid("kind: no GitHub App is configured (github.appId, github.privateKey)");
  }
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalid("value: must be the id of an installation");
  if (parseCredentialScope(kind, url).host !== github.host) {
    throw invalid(`url: the GitHub App is for https://${github.host} only`);
  }
  try {
    await github.askAsApp("GET /app/installations/{installation_id}", { installation_id: value });
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    if (error.status === 404) throw invalid("value: the GitHub App has no such installation");
    throw new EngineError("unavailable", `nothing was changed: ${error.message}`);
  }
}

function invalid(message: string): EngineError {
  return new EngineError("invalid-input", `not valid: ${message}`);
}
