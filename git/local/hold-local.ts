// Changes refs of a repository that is the caller's own: under its lock, as its owner.
import type { RunGitOptions } from "../command/run-git.ts";
import { runGit } from "../command/run-git.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { requireResultRef } from "../result/result-ref.ts";
import { type CallersRepository, repositoryOptions } from "../worktree/find-repository.ts";
import { giveLockFile } from "../worktree/give-lock-file.ts";
import { resolveCommit } from "../worktree/resolve-commit.ts";
import { WorktreeError } from "../worktree/worktree-error.ts";

export interface Holding {
  readonly purpose: string;
  readonly runId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function holdLocal<T>(
  locks: RepositoryLocks,
  repository: CallersRepository,
  holding: Holding,
  work: (options: RunGitOptions) => Promise<T>,
): Promise<T> {
  giveLockFile(repository);
  return await locks.holdForeign(repository.commonDir, holding, ({ descriptor }) =>
    work({ ...repositoryOptions(repository, descriptor), signal: holding.signal }),
  );
}

/** Below `refs/croft/`, where nobody's branches and tags are; it keeps the commit from being collected. */
export async function recordLocally(
  locks: RepositoryLocks,
  repository: CallersRepository,
  { ref, commit, ...holding }: Omit<Holding, "purpose"> & { ref: string; commit: CommitId },
): Promise<void> {
  requireResultRef(ref);
  await holdLocal(locks, repository, { ...holding, purpose: "record a result" }, async (held) => {
    await requireLocalCommit(commit, held);
    await runGit(["update-ref", "--end-of-options", ref, commit], held);
  });
}

export async function requireLocalCommit(commit: CommitId, options: RunGitOptions): Promise<void> {
  if ((await resolveCommit(commit, options)) === commit) return;
  throw new WorktreeError("no-commit", `there is no commit '${commit}'`);
}
