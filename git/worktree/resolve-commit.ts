// From a name to the full id of a commit, the only thing that is used from then on.
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { isRefName } from "../remote/ref-name.ts";
import { WorktreeError } from "./worktree-error.ts";

/** In bytes: the longest file name there is, less the `.lock` that git appends. */
const PART_BYTES_MAX = 250;

/** Undefined when there is no such commit. The name has been checked: it has nothing that revisions give a meaning. */
export async function resolveCommit(
  name: string,
  options: RunGitOptions,
): Promise<CommitId | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { stdout, exitCode } = await runGit(args, { ...options, answers: [1] });
  return exitCode === 0 ? commitId(stdout.toString("utf8").trim()) : undefined;
}

export async function resolveBase(base: string, options: RunGitOptions): Promise<CommitId> {
  if (!isRefName(base)) {
    const message = `'${base.slice(0, 80)}' is neither the name of a ref nor a commit id`;
    throw new WorktreeError("invalid-name", message);
  }
  const commit = await resolveCommit(base, options);
  if (commit !== undefined) return commit;
  const message =
    base === "HEAD"
      ? "the repository has no commit yet: make one first"
      : `there is no commit '${base}'`;
  throw new WorktreeError("no-commit", message);
}

/** A short name, as one says it: `feature/x`. */
export function checkBranchName(branch: string): void {
  const isFitting = branch.split("/").every((part) => Buffer.byteLength(part) <= PART_BYTES_MAX);
  const isClear = branch !== "HEAD" && !branch.startsWith("refs/");
  if (isRefName(branch) && isFitting && isClear) return;
  const message = `'${branch.slice(0, 80)}' cannot be the name of a branch`;
  throw new WorktreeError("invalid-name", message, { branch });
}
