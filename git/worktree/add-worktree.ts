// Makes a linked worktree in three steps: registered under the lock, checked out without it, its branch made last.
import { chown, mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { GitError } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { LedgerEntry } from "../workspace/ledger.ts";
import type { BranchClaim } from "./branch-claim.ts";
import { creationMessage } from "./branch-remains.ts";
import { orphanMark } from "./end-orphans.ts";
import { type CallersRepository, repositoryOptions } from "./find-repository.ts";
import { isLinked, lockReason, readRegistration, registrationPath } from "./registration.ts";
import { resolveCommit } from "./resolve-commit.ts";
import { refLockPath } from "./stale-ref-lock.ts";
import { WorktreeError } from "./worktree-error.ts";

const CHECKOUT_TIMEOUT_MS = 15 * 60_000;
/** All that git says when it could make a file but not fill it. Whatever else it fails at it explains. */
const CANNOT_WRITE = /^error: unable to write file /m;
const TRIES = 3;
const BETWEEN_TRIES_MS = 100;
/** A registration was there in one moment and not in the next: somebody prunes, and may do so again and again. */
const PRUNED = /\/worktrees\/[^\n]*(?:No such file or directory|commondir)/;
const TRIES_WHILE_PRUNED = 20;
/** Git names somebody in its logs, and would otherwise guess. */
const IDENTITY = {
  GIT_COMMITTER_NAME: "Croft",
  GIT_COMMITTER_EMAIL: "croft@localhost",
};

export interface WorktreePlan {
  readonly entry: LedgerEntry;
  readonly repository: CallersRepository;
  readonly commit: CommitId;
  readonly claim?: BranchClaim | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Detached first: `-b` would make the branch before there is a registration to say whose it is. Then HEAD names the branch
 * even if it does not exist yet, which keeps it for us: git says to everybody else that it is checked out here. Returns
 * the commit it is at then: until that moment the developer may have moved the branch.
 */
export async function registerWorktree(plan: WorktreePlan, descriptor: number): Promise<CommitId> {
  const { entry, repository, commit, signal } = plan;
  const options = { ...repositoryOptions(repository, descriptor), variables: IDENTITY, signal };
  // By us, because the repository's owner may not write there; not for the eyes of others.
  await mkdir(entry.path, { mode: 0o700 });
  if (repository.owner !== undefined) {
    await chown(entry.path, repository.owner.uid, repository.owner.gid);
  }
  const flags = ["--detach", "--no-checkout", "--lock", "--reason", lockReason(entry.id)];
  await runGit(["worktree", "add", ...flags, entry.path, commit], options);
  const { state } = await readRegistration(entry);
  if (state !== "whole" || !(await isLinked(entry))) {
    throw new Error(`git registered the worktree '${entry.id}' in another way than expected`);
  }
  if (entry.branch === undefined) return commit;
  const own = { ...options, gitDir: registrationPath(entry) };
  await runGit(["symbolic-ref", "HEAD", `refs/heads/${entry.branch}`], own);
  return (await resolveCommit("HEAD", own)) ?? commit;
}

/** Not `reset`, which locks and writes the branch: nothing that is shared may be touched without the lock. */
export async function checkOutWorktree(plan: WorktreePlan): Promise<void> {
  const { entry, repository, commit, signal } = plan;
  try {
    await runGit(["read-tree", "--reset", "-u", commit], {
      gitDir: registrationPath(entry),
      workTree: entry.path,
      cwd: entry.path,
      ...repository.owner,
      signal,
      timeoutMs: CHECKOUT_TIMEOUT_MS,
      config: [
        ["checkout.workers", String(availableParallelism())],
        ["core.fsync", "none"], // a workspace ends with its job
      ],
      variables: orphanMark(entry.id),
    });
  } catch (error) {
    const isFull =
      error instanceof GitError &&
      error.code === "failed" &&
      CANNOT_WRITE.test(error.details.stderr ?? "");
    if (!isFull) throw error;
    throw new GitError("disk-full", `the disk is full: ${error.message}`, error.details, error);
  }
}

/** Last, so that no failure leaves a branch. Under the lock, as everything that leaves lock files behind if it is killed. */
export async function makeBranch(plan: WorktreePlan, descriptor: number): Promise<void> {
  const { entry, repository, commit, claim, signal } = plan;
  const { branch = "" } = entry;
  const ref = `refs/heads/${branch}`;
  const options = repositoryOptions(repository, descriptor);
  try {
    await runGit(["update-ref", "-m", creationMessage(entry.id), "--stdin"], {
      ...options,
      gitDir: registrationPath(entry),
      variables: IDENTITY,
      signal,
      input: `${claim === undefined ? "" : `update ${claim.made} ${commit}\n`}create ${ref} ${commit}\n`,
    });
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "locked") throw error;
    throw await explained(error, branch, options, repository);
  }
}

/** Git says of all three that it cannot lock the branch. */
async function explained(
  error: GitError,
  branch: string,
  options: RunGitOptions,
  { commonDir }: CallersRepository,
): Promise<WorktreeError> {
  const isBeside = beside(branch, error);
  if (isBeside !== undefined) return isBeside;
  if ((await resolveCommit(`refs/heads/${branch}`, options)) !== undefined) {
    const message = `branch '${branch}' was made by somebody else meanwhile`;
    return new WorktreeError("branch-exists", message, { branch }, error);
  }
  const path = refLockPath(commonDir, branch);
  const message = `branch '${branch}' is locked by another git; if none is running, remove '${path}'`;
  return new WorktreeError("locked", message, { branch, path }, error);
}

/** Of two branches one is a directory to git, the other a file: waiting does not help. */
export function beside(branch: string, error: unknown): WorktreeError | undefined {
  const said = error instanceof GitError ? (error.details.stderr ?? "") : "";
  const [, obstacle] = /'refs\/heads\/([^']+)' exists; cannot create/.exec(said) ?? [];
  if (obstacle === undefined) return undefined;
  const message = `branch '${branch}' cannot be made beside the branch '${obstacle}'`;
  return new WorktreeError("branch-exists", message, { branch }, error);
}

/**
 * The developer's own git works without our lock: in the moment in which it registers or prunes a worktree, a look at all
 * of them fails ("failed to read …/commondir"). The next one does not.
 */
export async function tryAgain<T>(
  work: () => Promise<T>,
  undo: () => Promise<void> = async () => {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitError) || !["failed", "corrupt"].includes(error.code)) throw error;
      const isPruned = PRUNED.test(error.details.stderr ?? "");
      if (tries >= (isPruned ? TRIES_WHILE_PRUNED : TRIES)) throw error;
      await undo();
      await delay(BETWEEN_TRIES_MS * Math.random() * 2); // never in step with what goes on there
    }
  }
}
