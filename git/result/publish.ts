// Pushes a commit from a repository of ours to the remote, and believes only what the remote then says.
import { GitError } from "../command/git-error.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";
import { entranceOf, type RemoteAccess, runRemoteGit } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { requireBranch } from "../workspace/workspace-request.ts";

export interface PublishRequest {
  /** Where the commit is: never a job's own repository. */
  readonly gitDir: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly commit: CommitId;
  readonly remote: RemoteUrl;
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly access: RemoteAccess;
  /** What the branch must be at; `none`: it must not exist. Without it, only a fast-forward is accepted. */
  readonly expected?: CommitId | "none" | undefined;
  /** Called at the last moment; throws when somebody else has taken over. */
  readonly fence: () => Promise<void>;
}

export interface Published {
  readonly branch: string;
  readonly commit: CommitId;
}

const PUSH_TIMEOUT_MS = 15 * 60_000;

export async function publish(request: PublishRequest): Promise<Published> {
  const { branch, commit } = request;
  const ref = `refs/heads/${branch}`;
  requireBranch(branch);
  await request.fence();
  const failure = await push(request, ref).then(
    () => undefined,
    (error: unknown) => error,
  );
  // A connection may break after the push has arrived: what the remote has decides.
  const there = await readBranch(request, ref).catch((error: unknown) => {
    throw failure ?? error;
  });
  if (there === commit) return { branch, commit };
  if (failure === undefined) {
    const at = there ?? "nowhere";
    throw new GitError("rejected", `the remote took the push, but '${branch}' is at ${at}`, {
      command: "push",
    });
  }
  if (isConflict(failure)) {
    const at = there === undefined ? "it does not exist" : `it is at ${there}`;
    throw new WorkspaceError("conflict", `branch '${branch}' has moved: ${at}`, failure);
  }
  throw failure;
}

async function push(request: PublishRequest, ref: string): Promise<void> {
  const { commit, remote, expected } = request;
  const lease =
    expected === undefined
      ? []
      : [`--force-with-lease=${ref}:${expected === "none" ? "" : expected}`];
  const flags = ["--quiet", "--no-verify", "--no-signed", ...lease];
  const args = ["push", ...flags, "--end-of-options", remote.text, `${commit}:${ref}`];
  await runRemote(args, request);
}

/** What the remote says that it has; undefined when there is no such branch. */
export async function readBranch(
  request: Pick<PublishRequest, "gitDir" | "remote" | "access" | "user">,
  ref: string,
): Promise<CommitId | undefined> {
  const args = ["ls-remote", "--quiet", "--end-of-options", request.remote.text, ref];
  const { stdout } = await runRemote(args, request);
  const lines = stdout.toString("utf8").split("\n");
  const id = lines.find((line) => line.endsWith(`\t${ref}`))?.split("\t", 1)[0] ?? "";
  return isCommitId(id) ? id : undefined;
}

async function runRemote(
  args: readonly string[],
  request: Pick<PublishRequest, "gitDir" | "remote" | "access" | "user">,
) {
  const { remote, access, gitDir, user } = request;
  return await runRemoteGit(args, remote, {
    gitDir,
    ...entranceOf(access),
    timeoutMs: access.timeoutMs ?? PUSH_TIMEOUT_MS,
    signal: access.signal,
    uid: user?.uid,
    gid: user?.gid,
  });
}

/** Also when another push was at it at the same moment: that one has the branch's lock, or has just moved it. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof GitError) || !["rejected", "locked"].includes(error.code)) return false;
  const said = error.details.stderr ?? "";
  if (/exists; cannot create/.test(said)) return false; // a name that another branch leaves no room for
  return /non-fast-forward|fetch first|stale info|already exists|failed to update ref|but expected/.test(
    said,
  );
}
