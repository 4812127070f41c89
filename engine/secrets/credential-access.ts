// How git goes to remotes on behalf of an owner: which it may name, at which addresses, with whose token or key.
import {
  type RemoteAccess,
  type RemoteUrl,
  type RemoteUrlRules,
  staticToken,
  type TokenSource,
} from "@croft/git";
import type { Config } from "../config/config.ts";
import type { GithubApp } from "../github/github-app.ts";
import { GithubError } from "../github/github-error.ts";
import { installationOf } from "../github/results/result-target.ts";
import type { OpenCredential } from "./credential-store.ts";

export interface WayParts {
  readonly config: Pick<Config, "git" | "allowPrivate">;
  /** Undefined where no App is configured. */
  readonly github?: Pick<GithubApp, "host" | "tokens"> | undefined;
}

export interface WayOptions {
  readonly remote: RemoteUrl;
  /** The credential that was found for it, if there is one. */
  readonly found?: Pick<OpenCredential, "kind" | "username" | "value"> | undefined;
  /** Somebody asked for exactly that one. */
  readonly isNamed?: boolean | undefined;
}

/** Paths of this machine are for its own people, whatever the operator allows them: never for apps. */
export function addressRules({ git }: Pick<Config, "git">, owner: string): RemoteUrlRules {
  return { allowHttp: git.allowHttp, allowLocal: git.allowLocal && owner === "local" };
}

/**
 * Others than this machine's own people reach public addresses only, and what the operator allows by name; the GitHub
 * that an installation belongs to was named by the operator, too.
 */
export function wayTo(
  parts: WayParts,
  owner: string,
  options: WayOptions,
): Omit<RemoteAccess, "signal"> {
  const { config, github } = parts;
  const { timeout: timeoutMs, caFile } = config.git;
  const isOfGithub = github !== undefined && installationOf(owner) !== undefined;
  const allowPrivate = [...config.allowPrivate, ...(isOfGithub ? [github.host] : [])];
  const reach = owner === "local" ? undefined : { allowPrivate };
  return { timeoutMs, caFile, reach, ...entranceBy(parts, owner, options) };
}

/**
 * Work of an installation comes with the App's tokens for it, and with a credential of its own where the App has none; a
 * credential that is named comes alone. Apps name remotes as they like: by ssh they come with their own key, or not at all.
 */
export function entranceBy(
  { config, github }: WayParts,
  owner: string,
  { remote, found, isNamed = false }: WayOptions,
): Pick<RemoteAccess, "tokens" | "ssh"> {
  const knownHostsFile = config.git.knownHosts;
  if (found?.kind === "ssh-key") return { ssh: { key: found.value, knownHostsFile } };
  const own = found && tokensBy(found, github);
  const installation = installationOf(owner);
  const isOfGithub = installation !== undefined && remote.host === github?.host;
  const tokens = isOfGithub && !isNamed ? firstOf(github.tokens(installation), own) : own;
  return { tokens, ssh: owner === "local" ? undefined : { knownHostsFile } };
}

function tokensBy(
  { kind, username, value }: Pick<OpenCredential, "kind" | "username" | "value">,
  github: WayParts["github"],
): TokenSource {
  if (kind !== "github-app") return staticToken({ username, password: value });
  if (github !== undefined) return github.tokens(Number(value));
  return async () => {
    const message = "the credential is an installation's, and no GitHub App is configured";
    throw new GithubError(message, { status: 404, code: "github-no-access" });
  };
}

/** The second only where the first may not: what GitHub cannot answer now is no reason to come as somebody else. */
function firstOf(first: TokenSource, second: TokenSource | undefined): TokenSource {
  if (second === undefined) return first;
  return async (wish) => {
    try {
      return await first(wish);
    } catch (error) {
      const isClosed = error instanceof GithubError && error.code === "github-no-access";
      if (!isClosed || error.mayPass) throw error;
      return await second(wish);
    }
  };
}
