// A commit of what a developer's checkout holds now, committed or not, without touching its index, branch or files.
import { chownSync, constants, mkdirSync } from "node:fs";
import { type FileHandle, open, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_IDENTITY, type Identity } from "../checkout/lay-out-repository.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { tryAgain } from "../worktree/add-worktree.ts";
import type { CallersRepository } from "../worktree/find-repository.ts";
import { resolveCommit } from "../worktree/resolve-commit.ts";
import { WorktreeError } from "../worktree/worktree-error.ts";

export interface SnapshotPlan {
  readonly message?: string | undefined;
  readonly identity?: Identity | undefined;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 10 * 60_000;

/**
 * HEAD itself when there is nothing else. Tracked and untracked, not ignored; the repository's own filters run, as they do
 * when its owner commits. Its objects go into the repository, where git collects them if no ref leads there.
 */
export async function snapshotOf(
  directories: GitDirectories,
  repository: CallersRepository,
  checkout: RunGitOptions,
  { message = "croft: uncommitted changes", identity = DEFAULT_IDENTITY, signal }: SnapshotPlan,
): Promise<CommitId> {
  const place = stagingPlace(directories, "snapshot");
  const { owner } = repository;
  mkdirSync(place, { mode: 0o700 });
  try {
    if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
    const index = join(place, "index");
    const options: RunGitOptions = {
      ...checkout,
      ...{ signal, timeoutMs: TIMEOUT_MS },
      config: [...(checkout.config ?? []), ["core.fsyncMethod", "batch"]],
      variables: { ...checkout.variables, ...variablesOf(identity), GIT_INDEX_FILE: index },
    };
    await copyIndex(join(repository.gitDir, "index"), index, owner);
    // The developer may write while we read: the next look finds the file whole, or gone.
    await tryAgain(async () => void (await runGit(["add", "--all"], options)));
    const tree = await gitText(["write-tree"], options);
    const head = await resolveCommit("HEAD", options);
    if (head !== undefined) {
      const headTree = await gitText(["rev-parse", "--verify", `${head}^{tree}`], options);
      if (headTree === tree) return head;
    }
    const parent = head === undefined ? [] : ["-p", head];
    const input = `${message.replaceAll("\0", " ")}\n`;
    const commit = ["commit-tree", ...parent, "-F", "-", tree];
    return commitId(await gitText(commit, { ...options, input }));
  } finally {
    await removeTree(place);
  }
}

function variablesOf({ name, email }: Identity): Record<string, string> {
  return {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
}

/**
 * With what it knows of sparse files and of times; with a later time of its own, git would trust entries that were written
 * in the same second as their files. Only a file of the owner's: a link could name one that only we can read.
 */
async function copyIndex(from: string, to: string, owner: CallersRepository["owner"]) {
  let file: FileHandle;
  try {
    file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return; // nothing was ever added
    throw error;
  }
  try {
    const { uid, mtimeMs } = await file.stat();
    if (uid !== (owner?.uid ?? process.geteuid?.())) throw foreign(from);
    await writeFile(to, await file.readFile(), { mode: 0o600, flag: "wx" });
    const seconds = Math.floor(mtimeMs) / 1000;
    await utimes(to, seconds, seconds);
    if (owner !== undefined) chownSync(to, owner.uid, owner.gid);
  } finally {
    await file.close();
  }
}

/** As after a `git status` by root in somebody's checkout. */
function foreign(path: string): WorktreeError {
  const message = `'${path}' does not belong to the repository's owner: give it to him`;
  return new WorktreeError("unsafe-repository", message, { path });
}
