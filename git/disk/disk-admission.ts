// Asks before making anything whether there is room for it, so that nobody ends with half a checkout.
import { statfsSync } from "node:fs";
import { GitError } from "../command/git-error.ts";

/** Kept free for everything else on the disk, PostgreSQL above all. */
const RESERVE_BYTES_MAX = 512 * 1024 * 1024;
const RESERVE_SHARE = 0.05;
const RESERVE_FILES = 100;

export interface DiskNeed {
  readonly bytes: number;
  readonly files: number;
}

/** What may still be used: without the reserve, which may already be touched (then it is negative). */
export interface DiskRoom {
  readonly bytes: number;
  /** Undefined on filesystems without a table of inodes. */
  readonly files: number | undefined;
}

export function roomOnDisk(path: string): DiskRoom {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(path);
  const reserveBytes = Math.min(RESERVE_BYTES_MAX, blocks * bsize * RESERVE_SHARE);
  return {
    bytes: bavail * bsize - reserveBytes,
    files: files > 0 ? ffree - RESERVE_FILES : undefined,
  };
}

/** One for all makers of a process: what is admitted and not yet written counts as used. */
export class DiskAdmission {
  readonly #path: string;
  #promisedBytes = 0;
  #promisedFiles = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Does the work if there is room for it. */
  async admit<T>(what: string, need: DiskNeed, work: () => Promise<T>): Promise<T> {
    this.#check(what, need);
    this.#promisedBytes += need.bytes;
    this.#promisedFiles += need.files;
    try {
      return await work();
    } finally {
      this.#promisedBytes -= need.bytes;
      this.#promisedFiles -= need.files;
    }
  }

  #check(what: string, need: DiskNeed): void {
    const room = roomOnDisk(this.#path);
    const freeBytes = room.bytes - this.#promisedBytes;
    const details = { command: "admission" };
    if (need.bytes > freeBytes) {
      throw new GitError(
        "disk-full",
        `no room for ${what}: it needs about ${inMegabytes(need.bytes)}, ${inMegabytes(Math.max(0, freeBytes))} are free; remove something or use a larger disk`,
        details,
      );
    }
    if (room.files !== undefined && need.files > room.files - this.#promisedFiles) {
      throw new GitError(
        "disk-full",
        `no room for ${what}: it needs about ${need.files} files, the disk can hold ${Math.max(0, room.files)} more`,
        details,
      );
    }
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
