// How one caller reaches a remote, and the only way from here to one.
import { GitError } from "../command/git-error.ts";
import { type GitResult, type RunGitOptions, runGit } from "../command/run-git.ts";
import { runGitWithToken, type TokenSource } from "./credential-broker.ts";
import type { RemoteUrl } from "./remote-url.ts";

/** Each caller with its own credential and patience. */
export interface RemoteAccess {
  readonly tokens?: TokenSource | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** For a question to a remote; transfers have limits of their own. */
export const ASK_TIMEOUT_MS = 120_000;

/** The same for several commands that together may take this long. */
export function withDeadline(access: RemoteAccess): RemoteAccess {
  const endsAt = performance.now() + (access.timeoutMs ?? ASK_TIMEOUT_MS);
  return {
    ...access,
    get timeoutMs() {
      return Math.max(1, Math.round(endsAt - performance.now()));
    },
  };
}

/** Git may speak with this remote only, by its own protocol, and with this caller's token if it has one. */
export async function runRemoteGit(
  args: readonly string[],
  remote: RemoteUrl,
  { tokens, ...options }: RunGitOptions & Pick<RemoteAccess, "tokens">,
): Promise<GitResult> {
  const reaching = { ...options, protocols: [remote.protocol] };
  try {
    return tokens === undefined
      ? await runGit(args, reaching)
      : await runGitWithToken(args, { ...reaching, remote, tokens });
  } catch (error) {
    throw isRedirect(error) ? redirected(error) : error;
  }
}

/** Calls it `network` otherwise, and the caller would try again for ever. */
function isRedirect(error: unknown): error is GitError {
  return (
    error instanceof GitError &&
    /returned error: 30\d/.test(error.details.stderr?.slice(-500) ?? "")
  );
}

function redirected({ details, cause }: GitError): GitError {
  const reason = "the remote redirects to another address, which is not followed; use that one";
  return new GitError("rejected", `git ${details.command} failed: ${reason}`, details, cause);
}
