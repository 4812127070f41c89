// Removes things in a directory that another user can change meanwhile, without being led elsewhere.
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeTree } from "../disk/git-directories.ts";
import type { RepositoryOwner } from "./find-repository.ts";

/**
 * A directory with all in it. Root, who may delete everything, works through descriptors: a directory of the owner's that
 * is swapped for a link while we are at it would otherwise lead us out.
 */
export async function removeTreeAsOwner(
  path: string,
  owner: RepositoryOwner | undefined,
): Promise<void> {
  if (owner === undefined) await removeTree(path);
  else inOwnedDirectory(dirname(path), owner, (at) => removeEntry(at, basename(path), owner));
}

export function removeFileAsOwner(path: string, owner: RepositoryOwner | undefined): void {
  if (owner === undefined) rmSync(path, { force: true });
  else
    inOwnedDirectory(dirname(path), owner, (at) => ifThere(() => unlinkSync(at(basename(path)))));
}

type Reach = (name: string) => string;

/** Does nothing when there is no such directory; one of anybody else's is refused. */
function inOwnedDirectory(path: string, owner: RepositoryOwner, work: (at: Reach) => void): void {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const descriptor = ifThere(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (descriptor === undefined) return;
  try {
    if (fstatSync(descriptor).uid !== owner.uid) {
      throw new Error(`refusing to remove anything in '${path}': it is not the repository owner's`);
    }
    work((name) => join("/proc/self/fd", String(descriptor), name));
  } finally {
    closeSync(descriptor);
  }
}

function removeEntry(at: Reach, name: string, owner: RepositoryOwner): void {
  inOwnedDirectory(at(name), owner, (within) => {
    for (const entry of readdirSync(within("."), { withFileTypes: true })) {
      if (isDirectory(entry)) removeEntry(within, entry.name, owner);
      else ifThere(() => unlinkSync(within(entry.name)));
    }
  });
  ifThere(() => rmdirSync(at(name)));
}

function isDirectory(entry: Dirent): boolean {
  return entry.isDirectory();
}

function ifThere<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
