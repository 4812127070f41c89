// Removes what a killed git left in a repository of ours: lock files, half-written packs, unfinished refs.
import { type Dirent, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Only while both locks of the repository are held. Every git of ours inherits the lock it works under, so whoever holds
 * them knows that none is alive, and no age has to be guessed.
 */
export function removeStaleFiles(gitDir: string): string[] {
  const objects = join(gitDir, "objects");
  const stale = [
    ...entriesOf(gitDir).filter((entry) => isLockFile(entry) || isDraft(entry)),
    ...entriesBelow(join(gitDir, "refs")).filter(isLockFile),
    ...stalePackFiles(entriesOf(join(objects, "pack"))),
    ...entriesBelow(join(objects, "info")).filter((entry) => isLockFile(entry) || isDraft(entry)),
    ...entriesOf(objects).filter((entry) => isLockFile(entry) || isDraft(entry)),
    ...entriesOf(objects)
      .filter(({ name }) => /^[0-9a-f]{2}$/.test(name))
      .flatMap(({ name }) => entriesOf(join(objects, name)).filter(isDraft)),
    ...entriesOf(join(gitDir, "refs/incoming")),
  ].map(({ parentPath, name }) => join(parentPath, name));
  for (const path of stale) rmSync(path, { recursive: true, force: true });
  return stale;
}

/**
 * A pack's index is written last and removed first: without it the rest is of no use. A `.keep` is a fetch's sign that
 * its pack is not referred to yet; left by a dead one, it would keep the pack out of every repacking.
 */
function stalePackFiles(entries: readonly Dirent[]): Dirent[] {
  const names = new Set(entries.map(({ name }) => name));
  return entries.filter((entry) => {
    const [, pack] = /^(pack-[0-9a-f]+)\./.exec(entry.name) ?? [];
    if (pack === undefined) return isLockFile(entry) || isDraft(entry);
    return entry.name.endsWith(".keep") || !names.has(`${pack}.idx`);
  });
}

function isLockFile(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith(".lock");
}

/** With the last one left behind, git could never again pack or delete a packed ref. */
function isDraft({ name }: Dirent): boolean {
  return name.startsWith("tmp_") || name.startsWith(".tmp-") || name === "packed-refs.new";
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
