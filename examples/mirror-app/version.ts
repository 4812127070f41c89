// Which of two syncs of a watch is the later one, also when their messages come in another order.
import { lstatSync, type Stats } from "node:fs";

/**
 * Croft keeps the order of messages about one path. A file and a directory of the same name are two paths: `a` of a later
 * sync may come before `a/b` of an earlier one. So every file has the time of its sync as its own (mtime), and the later one
 * stays. Sync ids are UUIDs of version 7, which begin with their time.
 */
export function versionOf(syncId: string, madeAt: Date): number {
  const time = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(syncId);
  return time === null ? madeAt.getTime() : Number.parseInt(`${time[1]}${time[2]}`, 16);
}

export function versionOfFile(stats: Stats): number {
  return Math.round(stats.mtimeMs);
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
