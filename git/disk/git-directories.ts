// Where everything of this package lies: one data directory, one filesystem, so that rename is atomic.
import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { chmod, lstat, readdir, realpath, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type ProcessIdentity, thisProcess } from "../command/process-identity.ts";
import { runTool } from "../command/run-tool.ts";
import { makeDirectories } from "./make-directories.ts";

export interface GitDirectories {
  readonly data: string;
  /** Bare copies of remotes. */
  readonly mirrors: string;
  /** What jobs made, one repository an owner and remote. */
  readonly results: string;
  /** Read-only checkouts that overlays are laid on. */
  readonly templates: string;
  /** One directory a workspace, named by its id; beside them `.parts` and `.ledger`. */
  readonly workspaces: string;
  /** Things being made; whatever is complete leaves by rename. */
  readonly staging: string;
  /** Things on their way out. */
  readonly trash: string;
  readonly locks: string;
}

/** Others must pass through to a workspace of theirs, but need not list. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;
const DEEP_TIMEOUT_MS = 600_000;

/**
 * Makes what is missing. `isShared` when jobs run as another user and must reach their workspaces. Without symbolic links
 * on the way: the kernel tells mounts and open files by their real names.
 */
export async function openGitDirectories(data: string, isShared: boolean): Promise<GitDirectories> {
  const passable = isShared ? PASSABLE : PRIVATE;
  await makeDirectory(data, passable);
  const directories = gitDirectories(await realpath(data));
  await makeDirectory(directories.workspaces, passable);
  await makeDirectory(join(directories.workspaces, ".parts"), passable);
  await makeDirectory(directories.staging, passable);
  await makeDirectory(directories.templates, PRIVATE);
  await makeDirectory(directories.mirrors, PRIVATE);
  await makeDirectory(directories.results, PRIVATE);
  await makeDirectory(directories.trash, PRIVATE);
  await makeDirectory(directories.locks, PRIVATE);
  return directories;
}

export function gitDirectories(data: string): GitDirectories {
  const below = (name: string) => join(data, name);
  return {
    data,
    mirrors: below("mirrors"),
    results: below("results"),
    templates: below("templates"),
    workspaces: below("workspaces"),
    staging: below("staging"),
    trash: below("trash"),
    locks: below("locks"),
  };
}

/** A place in staging whose name tells which process makes it, so that a sweep knows when nobody does any more. */
export function stagingPlace({ staging }: Pick<GitDirectories, "staging">, what: string): string {
  const { pid, start } = thisProcess();
  return join(staging, `${what}.${pid}.${start}.${randomUUID().slice(0, 8)}`);
}

/** Who makes the thing of this name in staging; undefined for names that are not ours. */
export function stagingMaker(name: string): ProcessIdentity | undefined {
  const [, pid, start] = /^[a-z-]+\.(\d+)\.([\da-f-]*)\.[0-9a-f]{8}$/.exec(name) ?? [];
  return pid === undefined || start === undefined ? undefined : { pid: Number(pid), start };
}

/** Out of sight at once, whatever it is; deleting may take long, and a kill in between leaves it to the sweep. */
export async function moveToTrash({ trash }: Pick<GitDirectories, "trash">, path: string) {
  const doomed = join(trash, randomUUID());
  try {
    await renameWhateverItsMode(path, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    await makeDirectory(trash, PRIVATE); // it is the trash that was thrown away
    await rename(path, doomed);
  }
  return doomed;
}

export async function removeTree(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 });
  try {
    await whateverItsMode(path, remove);
  } catch (error) {
    const { code, path: culprit } = error as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG") return await removeDeep(path);
    if (code !== "ENOTDIR" || culprit === undefined) throw error;
    await unlink(culprit); // Node takes a file that may not be deleted for a directory: this says why it may not
    await remove();
  }
}

/** A job can nest directories deeper than a path can tell; these programs go down step by step. */
async function removeDeep(path: string): Promise<void> {
  await runTool("chmod", ["-R", "u+rwX", "--", path], { timeoutMs: DEEP_TIMEOUT_MS });
  const { exitCode, stderr } = await runTool("rm", ["-rf", "--", path], {
    timeoutMs: DEEP_TIMEOUT_MS,
  });
  if (exitCode !== 0) throw new Error(`cannot remove '${path}': ${stderr.trim().split("\n")[0]}`);
}

/**
 * Directories that may not be written or even read: caches of jobs have such, overlayfs leaves one. They stop everybody
 * but root, their owner too, until the owner takes the right.
 */
async function whateverItsMode(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    await openDirectories(Buffer.from(path));
    await work();
  }
}

/** A directory that moves is itself written: it is told where it is now. */
async function renameWhateverItsMode(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    await chmod(from, PRIVATE);
    await rename(from, to);
  }
}

/** Bytes, because names need not be UTF-8. The removal that failed may still be at work beside us. */
async function openDirectories(path: Buffer): Promise<void> {
  let names: Buffer[];
  try {
    if (!(await lstat(path)).isDirectory()) return; // never through a symbolic link
    await chmod(path, PRIVATE);
    names = await readdir(path, { encoding: "buffer" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  for (const name of names) await openDirectories(Buffer.concat([path, Buffer.from("/"), name]));
}

async function makeDirectory(path: string, mode: number): Promise<void> {
  if (await makeDirectories(path, mode)) await chmod(path, mode);
}
