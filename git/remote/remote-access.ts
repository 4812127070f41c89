// How one caller reaches a remote, and the only way from here to one.
import { GitError } from "../command/git-error.ts";
import { type GitResult, type RunGitOptions, runGit } from "../command/run-git.ts";
import { runGitWithToken, type TokenSource } from "./credential-broker.ts";
import { pinRemote } from "./pin-remote.ts";
import type { RemoteUrl } from "./remote-url.ts";
import type { ReachRules } from "./resolve-public.ts";
import { runGitWithKey, type SshIdentity, sshCommandOf, withoutKey } from "./ssh-identity.ts";

/** Each caller with its own credential and patience. */
export interface RemoteAccess {
  readonly tokens?: TokenSource | undefined;
  /** When given, only public addresses are connected to, and those that are allowed by name. */
  readonly reach?: Pick<ReachRules, "allowPrivate" | "lookup"> | undefined;
  /** As whom ssh goes. Left out without `reach`, it goes as the user Croft runs as: for that user's own work only. */
  readonly ssh?: SshIdentity | undefined;
  /** Certificates (PEM) that are trusted instead of the system's: for hosts of a private authority. */
  readonly caFile?: string | undefined;
  /** Refs besides branches and tags from which a commit may be reached that is named by its id: a pull request's, say. */
  readonly also?: readonly string[] | undefined;
  /** Commits it was shown before. They may have been forced away since: it is enough that it still opens the repository. */
  readonly shown?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Who comes and which way, without how long it waits. */
export type Entrance = Pick<RemoteAccess, "tokens" | "reach" | "ssh" | "caFile">;

export function entranceOf({ tokens, reach, ssh, caFile }: RemoteAccess): Entrance {
  return { tokens, reach, ssh, caFile };
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

/**
 * Git may speak with this remote only, by its own protocol, with this caller's token if it has one, and at the address
 * that was checked if addresses are: then it does not ask for it again, so that no second answer can lead elsewhere.
 */
export async function runRemoteGit(
  args: readonly string[],
  remote: RemoteUrl,
  { tokens, reach, caFile, ...options }: RunGitOptions & Entrance,
): Promise<GitResult> {
  const { ssh = reach === undefined ? undefined : {}, ...running } = options;
  const { signal, config = [] } = running;
  const pins = reach === undefined ? {} : await pinRemote(remote, { ...reach, signal });
  const trust = caFile === undefined ? [] : [["http.sslCAInfo", caFile] as const];
  const settings = [...config, ...(pins.config ?? []), ...trust];
  const reaching = { ...running, protocols: [remote.protocol], config: settings };
  if (remote.protocol === "ssh" && ssh !== undefined) {
    if (ssh.key === undefined) throw withoutKey(args[0] ?? "");
    const sshCommand = `${sshCommandOf(ssh)} ${pins.sshOptions ?? ""}`;
    return await runGitWithKey(args, { ...reaching, key: ssh.key, sshCommand });
  }
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
