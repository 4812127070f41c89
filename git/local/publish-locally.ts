// Sets a branch of a developer's repository, and its checkout with it where that has no changes of its own.
import { sep } from "node:path";
import { GitError } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { isAncestor } from "../result/merge-in-order.ts";
import type { Published } from "../result/publish.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { beside, tryAgain } from "../worktree/add-worktree.ts";
import { findHolder, inUse, requireFinished } from "../worktree/branch-holder.ts";
import { type CallersRepository, findRepository } from "../worktree/find-repository.ts";
import { resolveCommit } from "../worktree/resolve-commit.ts";
import { requireLocalCommit } from "./hold-local.ts";

export interface LocalPublication {
  readonly commit: CommitId;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** What the branch must be at; `none`: it must not exist. Without it, only a fast-forward is accepted. */
  readonly expected?: CommitId | "none" | undefined;
  readonly force?: boolean | undefined;
  /** What becomes of a branch that is checked out: it moves with its files, or the publication is refused. */
  readonly checkedOut?: "move" | "refuse" | undefined;
}

const NOBODY = "0".repeat(40);
const IDENTITY = { GIT_COMMITTER_NAME: "Croft", GIT_COMMITTER_EMAIL: "croft@localhost" };

/** Only under the repository's lock: `options` have it. */
export async function publishLocally(
  directories: GitDirectories,
  repository: CallersRepository,
  plan: LocalPublication,
  options: RunGitOptions,
): Promise<Published> {
  const { branch, commit } = plan;
  const ref = `refs/heads/${branch}`;
  await requireLocalCommit(commit, options);
  const tip = await resolveCommit(ref, options);
  if (tip === commit) return { branch, commit };
  await requireExpected(plan, tip, options);
  await requireFinished(branch, repository.commonDir);
  const path = await tryAgain(() => findHolder(branch, options));
  if (path !== undefined && plan.checkedOut === "refuse") {
    const why = "its files are not changed under whoever works there";
    const way = "publish another, and merge that there";
    throw inUse(branch, path, `is checked out at '${path}', and ${why}: ${way}`);
  }
  if (path !== undefined) {
    await moveCheckout(directories, { path, tip, ...plan }, options);
  }
  const args = ["update-ref", "-m", "croft: publish", "--end-of-options", ref, commit];
  try {
    await runGit([...args, tip ?? NOBODY], { ...options, variables: IDENTITY });
  } catch (error) {
    throw beside(branch, error) ?? error;
  }
  return { branch, commit };
}

async function requireExpected(
  { branch, commit, expected, force = false }: LocalPublication,
  tip: CommitId | undefined,
  options: RunGitOptions,
): Promise<void> {
  const isRight =
    expected === undefined
      ? force || tip === undefined || (await isAncestor(options, tip, commit))
      : expected === (tip ?? "none");
  if (isRight) return;
  const at = tip === undefined ? "it does not exist" : `it is at ${tip}`;
  throw new WorkspaceError("conflict", `branch '${branch}' has moved: ${at}`);
}

interface Move extends LocalPublication {
  readonly path: string;
  readonly tip: CommitId | undefined;
}

/**
 * The files first, then the branch: killed in between, the checkout shows the new state as not yet committed, and the next
 * try sees that nothing else has changed. Untracked files are never overwritten.
 */
async function moveCheckout(
  directories: GitDirectories,
  { path, tip, branch, commit }: Move,
  options: RunGitOptions,
): Promise<void> {
  const isOurs = `${path}${sep}`.startsWith(`${directories.workspaces}${sep}`);
  if (isOurs || tip === undefined) throw inUse(branch, path, `is checked out at '${path}'`);
  const { gitDir, owner } = await findRepository(path, options.signal);
  const here: RunGitOptions = { ...options, ...owner, gitDir, workTree: path, cwd: path };
  if (await isClean(here)) {
    await runGit(["read-tree", "-m", "-u", tip, commit], here).catch((error: unknown) => {
      const isInTheWay = error instanceof GitError && /would be|not uptodate/.test(error.message);
      throw isInTheWay ? changed(branch, path, error) : error;
    });
  } else if (!(await isAt(commit, here))) {
    throw changed(branch, path);
  }
}

async function isClean(here: RunGitOptions): Promise<boolean> {
  const args = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"];
  return (await runGit(args, here)).stdout.length === 0; // and the index knows the times of its files
}

/** Files and index alike. */
async function isAt(commit: CommitId, here: RunGitOptions): Promise<boolean> {
  const answering = { ...here, answers: [1] };
  const index = await runGit(["diff-index", "--quiet", "--cached", commit], answering);
  const files = await runGit(["diff-files", "--quiet"], answering);
  return index.exitCode === 0 && files.exitCode === 0;
}

function changed(branch: string, path: string, cause?: unknown): WorkspaceError {
  const message = `branch '${branch}' is checked out at '${path}' with changes: commit or stash them, or publish another branch`;
  return new WorkspaceError("conflict", message, cause);
}
