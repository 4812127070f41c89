// Where a test run keeps its files: in memory, where there is enough of it.
import { chmodSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Open to other users, because servers of tests run as them. Files that live for a second cost a disk's filesystem as much
 * as all else that tests do: half of the system time of a run.
 */
export function temporaryRoot(prefix: string): string {
  const root = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), prefix));
  chmodSync(root, 0o755);
  return root;
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    const options = mounts.findLast((line) => line.split(" ")[1] === MEMORY)?.split(" ")[3];
    return bavail * bsize >= MEMORY_BYTES_MIN && options?.split(",").includes("noexec") === false;
  } catch {
    return false; // not on this system
  }
}
