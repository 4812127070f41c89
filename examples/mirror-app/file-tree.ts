// What lies below a directory, whatever its names; links are never followed.
import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { look, versionOfFile } from "./version.ts";

const SLASH = Buffer.from("/");

export function childOf(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, SLASH, name]);
}

/** The sync of the latest file in it; 0 if there is none. */
export function newestIn(directory: Buffer): number {
  let newest = 0;
  for (const name of readdirSync(directory, { encoding: "buffer" })) {
    const path = childOf(directory, name);
    const stats = look(path);
    if (stats === undefined) continue;
    newest = Math.max(newest, stats.isDirectory() ? newestIn(path) : versionOfFile(stats));
  }
  return newest;
}

/** Files of earlier syncs, and the directories that have nothing else. */
export function removeOlder(directory: Buffer, version: number): void {
  for (const name of readdirSync(directory, { encoding: "buffer" })) {
    const path = childOf(directory, name);
    const stats = look(path);
    if (stats?.isDirectory()) {
      removeOlder(path, version);
      removeIfEmpty(path);
    } else if (stats !== undefined && versionOfFile(stats) < version) {
      unlinkSync(path);
    }
  }
}

/** False if there is something in it. */
export function removeIfEmpty(directory: Buffer): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}
