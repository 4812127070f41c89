// Finds the repository a path lies in, and as whom git has to work in it.
import { existsSync, type Stats, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { GitError } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { WorktreeError } from "./worktree-error.ts";

export interface RepositoryOwner {
  readonly uid: number;
  readonly gid: number;
}

/** A repository that is the caller's, not ours. */
export interface CallersRepository {
  /** Of the checkout the path lies in: its HEAD is what "here" means. */
  readonly gitDir: string;
  /** The real path of what all its worktrees share. */
  readonly commonDir: string;
  /** As whom git runs in it when we are root, so that nothing of root's appears there; undefined: as ourselves. */
  readonly owner: RepositoryOwner | undefined;
}

/**
 * Any path in a repository: a linked worktree, a link to one, a bare repository, a directory or file below. A relative
 * one is taken from the working directory of this process.
 *
 * Git's own check of ownership stays: a repository of another user's can name programs (filters, say) that git runs.
 * Root works as the owner of the path instead, so for root the check compares that path's owner with the repository's.
 */
export async function findRepository(
  path: string,
  signal?: AbortSignal,
): Promise<CallersRepository> {
  const place = await directoryAt(path);
  const owner = ownerFor(statSync(place));
  const options: RunGitOptions = {
    cwd: place,
    config: [["safe.bareRepository", "all"]], // the caller names it: that is explicit enough
    signal,
    ...owner,
  };
  const gitDir = await askForPath("--git-dir", options, path);
  const commonDir = await realpath(await askForPath("--git-common-dir", options, path));
  if (statSync(commonDir).uid !== (owner?.uid ?? ownUid())) throw unsafe(path);
  return { gitDir, commonDir, owner };
}

/** The repository of a worktree that is to be removed; undefined when it is gone. */
export async function reopenRepository(commonDir: string): Promise<CallersRepository | undefined> {
  // A directory that merely has its place is no repository: nothing may be made in it.
  if (!existsSync(join(commonDir, "HEAD"))) return undefined;
  return { gitDir: commonDir, commonDir, owner: ownerFor(await stat(commonDir)) };
}

/** Options of every git that works on what the worktrees share; `descriptor` of the lock it works under. */
export function repositoryOptions(
  { commonDir, owner }: CallersRepository,
  descriptor?: number,
): RunGitOptions {
  return {
    gitDir: commonDir,
    ...owner,
    lockDescriptors: descriptor === undefined ? [] : [descriptor],
  };
}

/** The directory that a path of the caller's is, or lies in. */
export async function directoryAt(path: string): Promise<string> {
  try {
    const place = await realpath(resolve(path));
    return (await stat(place)).isDirectory() ? place : dirname(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    throw new WorktreeError("not-a-repository", `cannot find '${path}'`, { path }, error);
  }
}

function ownerFor({ uid, gid }: Stats): RepositoryOwner | undefined {
  return process.geteuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined;
}

function ownUid(): number {
  return process.geteuid?.() ?? 0;
}

/** One at a time: a path may have a line break, and rev-parse knows no other separator. */
async function askForPath(what: string, options: RunGitOptions, path: string): Promise<string> {
  try {
    const { stdout } = await runGit(["rev-parse", "--path-format=absolute", what], options);
    return stdout.toString("utf8").replace(/\n$/, "");
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "aborted") throw error;
    const said = error.details.stderr ?? "";
    if (/dubious ownership/.test(said)) throw unsafe(path, error);
    if (!/not a git repository/i.test(said)) throw error;
    const message = `'${path}' is not in a git repository`;
    throw new WorktreeError("not-a-repository", message, { path }, error);
  }
}

function unsafe(path: string, cause?: unknown): WorktreeError {
  const message = `the repository at '${path}' belongs to another user: run Croft as its owner, or as root, which works in it as its owner`;
  return new WorktreeError("unsafe-repository", message, { path }, cause);
}
