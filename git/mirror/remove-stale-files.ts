// Removes what a killed git left in a repository of ours: lock files, half-written packs, unfinished refs.
import { type Dirent, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Only while both locks of the repository are held. Every git of ours inherits the lock it works under, so whoever holds
 * them knows that none is alive, and no age has to be guessed.
 */
export function removeStaleFiles(gitDir: string): string[] {
  const stale = [
    ...entriesOf(gitDir).filter(isLockFile),
    ...entriesBelow(join(gitDir, "refs")).filter(isLockFile),
    ...entriesOf(join(gitDir, "objects/pack")).filter(isUnfinishedPack),
    ...entriesOf(join(gitDir, "objects/info")).filter(isLockFile),
    ...entriesOf(join(gitDir, "objects")).filter(({ name }) => name.startsWith("tmp_")),
    ...entriesOf(join(gitDir, "refs/incoming")),
  ].map(({ parentPath, name }) => join(parentPath, name));
  for (const path of stale) rmSync(path, { recursive: true, force: true });
  return stale;
}

function isLockFile(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith(".lock");
}

function isUnfinishedPack({ name }: Dirent): boolean {
  return name.startsWith("tmp_") || name.startsWith(".tmp-");
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function entriesBelow(directory: string): Dirent[] {
  return entriesOf(directory).flatMap((entry) =>
    entry.isDirectory() ? entriesBelow(join(directory, entry.name)) : [entry],
  );
}
