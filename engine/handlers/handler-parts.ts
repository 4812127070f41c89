// What the handlers of a project work with, besides their own processes.
import {
  type Git,
  parseRemoteUrl,
  type RemoteAccess,
  type RemoteUrl,
  RemoteUrlError,
} from "@croft/git";
import type { Assets } from "../assets/assets.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import type { GithubApp } from "../github/github-app.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import type { JobIntake } from "../jobs/submit-jobs.ts";
import type { Log } from "../log.ts";
import { addressRules, wayTo } from "../secrets/credential-access.ts";
import { openCredential } from "../secrets/credential-store.ts";
import type { Vault } from "../secrets/vault.ts";

export interface HandlerParts {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly assets: Assets;
  readonly vault: Vault;
  /** Undefined where no App is configured. */
  readonly github?: GithubApp | undefined;
  /** Opened when the first handler needs it. */
  readonly git: () => Promise<Git>;
  /** It knows the handlers' types, too, so it is made after them. */
  readonly intake: () => JobIntake;
}

/** A remote that the job's owner may name. */
export function remoteOf({ config }: HandlerParts, { owner }: Attempt, text: string): RemoteUrl {
  try {
    return parseRemoteUrl(text, addressRules(config, owner));
  } catch (error) {
    if (!(error instanceof RemoteUrlError)) throw error;
    throw new JobFailure("invalid", "invalid-remote", error.message, { cause: error });
  }
}

/** With the owner's own credential for it, if there is one. */
export async function accessTo(
  parts: HandlerParts,
  { owner, signal }: Attempt,
  remote: RemoteUrl,
): Promise<RemoteAccess> {
  const found = await openCredential(parts.vault, owner, remote);
  return { signal, ...wayTo(parts, owner, { remote, found }) };
}
