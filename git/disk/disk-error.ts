// What the filesystem refused, in the words of git's own failures: no room, or no right to write.
import { GitError } from "../command/git-error.ts";
import { LockError } from "../lock/lock-file.ts";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const CLOSED = new Set(["EROFS", "EACCES", "EPERM"]);

/** Anything else is returned as it is. */
export function asDiskError(error: unknown): unknown {
  if (error instanceof GitError || !(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  const details = { command: "files" };
  if (error instanceof LockError) {
    const { code: kind, message } = error;
    const isKnown = kind === "disk-full" || kind === "not-writable";
    return isKnown ? new GitError(kind, message, details, error) : error;
  }
  if (FULL.has(code ?? "") || /No space left on device/.test(error.message)) {
    return new GitError("disk-full", `the disk is full: ${error.message}`, details, error);
  }
  if (CLOSED.has(code ?? "") || /Read-only file system/.test(error.message)) {
    return new GitError("not-writable", `cannot write: ${error.message}`, details, error);
  }
  return error;
}
