// Which of two syncs of a watch is the later one, also when their messages come in another order.
import { lstatSync, type Stats } from "node:fs";

/**
 * The number of its sync, which only grows in a watch, is kept as the time of a file (mtime), in seconds since 1970: so it is
 * written with the file, and no other place can say something else. A clock would not do: those are set back.
 */
export function versionOfFile(stats: Stats): number {
  return Math.round(stats.mtimeMs / 1000);
}

/** Never follows a link; undefined if there is nothing. */
export function look(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
