// A directory for trying things on the very disk where they matter; gone afterwards, also what a killed process left.
import { chmod, lstat, mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive } from "../command/process-identity.ts";
import { removeTree, stagingMaker, stagingPlace } from "../disk/git-directories.ts";
import { unmountBelow } from "../disk/mount-overlay.ts";

/** Below a directory that may be somebody else's, the name must tell whose it is. */
const NAME = "croft-probe";

export async function withProbeDirectory<T>(
  parent: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const place = await realpath(parent); // mounts are known by their real paths
  await removeDeadProbes(place);
  const directory = stagingPlace({ staging: place }, NAME);
  await mkdir(directory, { mode: 0o711 });
  try {
    await chmod(directory, 0o711); // the umask may have taken bits away, and jobs must pass through
    return await work(directory);
  } finally {
    await remove(directory);
  }
}

/** Only our own user's: what lies in a directory that all may write could be a trap. Says what it removed. */
export async function removeDeadProbes(place: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await namesIn(place)) {
    const maker = isProbeName(name) ? stagingMaker(name) : undefined;
    if (maker === undefined || isProcessAlive(maker)) continue;
    const path = join(place, name);
    if (!(await isOwn(path))) continue;
    await remove(path);
    removed.push(path);
  }
  return removed;
}

async function isOwn(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).uid === process.getuid?.();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false; // another process was faster
    throw error;
  }
}

/** A data directory that holds nothing else still counts as empty. */
export function isProbeName(name: string): boolean {
  return name.startsWith(`${NAME}.`);
}

async function remove(path: string): Promise<void> {
  await unmountBelow(path);
  await removeTree(path);
}

/** A directory can be writable without being readable: then nothing is found, and nothing lost. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return [];
    throw error;
  }
}
