// A mark that all descendants of a process have, whatever environment, directory and session they give themselves.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/*
 * The limit of file locks (RLIMIT_LOCKS): the kernel hands it on to every child and shows it to everybody, and has not heeded
 * it since version 2.4. A program would have to change it on purpose.
 */
const LIMIT = /^Max file locks +(\d+) /m;
const MARK_BYTES = 6;

/** Of all that is started for a directory. */
export function inheritedMark(directory: string): string {
  const digest = createHash("sha256").update(directory).digest();
  return String(digest.readUIntBE(0, MARK_BYTES));
}

/**
 * For `sh`, before it begins with anything else. Shells have two names for it; one that has none, and one that may not
 * change it because it descends from a process that has such a mark itself, goes on without.
 */
export function markingScript(directory: string): string {
  const mark = inheritedMark(directory);
  return `ulimit -w ${mark} 2>/dev/null || ulimit -x ${mark} 2>/dev/null || :`;
}

export function readInheritedMark(pid: number): string | undefined {
  try {
    return LIMIT.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1];
  } catch {
    return undefined; // ended meanwhile, or not ours to see
  }
}
