// The one true path of a repository, whichever way it is named.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Links, relative paths and linked worktrees of one repository all lead to its common directory. */
export function realCommonDir(gitDir: string): string {
  const path = realPathOfNew(resolve(gitDir));
  const pointer = join(path, "commondir"); // only a linked worktree has one
  if (!existsSync(pointer)) return path;
  return realpathSync.native(resolve(path, readFileSync(pointer, "utf8").trimEnd()));
}

/** The repository itself may be about to be made. */
function realPathOfNew(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(realpathSync.native(dirname(path)), basename(path));
  }
}
