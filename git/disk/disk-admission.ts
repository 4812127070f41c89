// Asks before making anything whether there is room for it, so that nobody ends with half a checkout.
import { GitError } from "../command/git-error.ts";
import { roomOnDisk } from "./disk-room.ts";

export interface DiskNeed {
  readonly bytes: number;
  readonly files: number;
}

/** One for all makers of a process: what is admitted and not yet written counts as used. */
export class DiskAdmission {
  readonly #path: string;
  readonly #reserveBytes: number | undefined;
  #promisedBytes = 0;
  #promisedFiles = 0;

  constructor(path: string, reserveBytes?: number) {
    this.#path = path;
    this.#reserveBytes = reserveBytes;
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
    const room = roomOnDisk(this.#path, this.#reserveBytes);
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
