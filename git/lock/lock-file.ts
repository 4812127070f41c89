// One open lock file: the kernel's locks on ranges of it, and errors that say what to do.
/// <reference path="./fs-native-extensions.d.ts" />
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { constants as system } from "node:os";
import { tryLock, unlock } from "fs-native-extensions";

/** Only the locks on the bytes count, not what stands in them. Length 0 is: to the end of all numbers. */
export interface LockRange {
  readonly from: number;
  readonly length: number;
}

const EVERYTHING: LockRange = { from: 0, length: 0 };

/**
 * - `disk-full`: no room for the lock file: free some.
 * - `not-writable`: the file or its directory is read-only or belongs to somebody else: give the right.
 * - `no-file-locks`: the filesystem has none: move to a local disk.
 * - `failed`: anything else; the message quotes the system.
 */
export type LockErrorCode = "disk-full" | "not-writable" | "no-file-locks" | "failed";

/** No lock could be had, and waiting would not help. */
export class LockError extends Error {
  override readonly name = "LockError";
  readonly code: LockErrorCode;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    const [code, reason] = REASONS[cause.code ?? ""] ?? ["failed", cause.message];
    super(`cannot use the lock '${path}': ${reason}`, { cause });
    this.code = code;
  }
}

const NO_ROOM = ["disk-full", "no room on its disk: free some"] as const;
const NO_RIGHT = ["not-writable", "permission denied: make it writable for this user"] as const;
const NO_LOCKS = [
  "no-file-locks",
  "its filesystem has no file locks: use a directory on a local disk, or mount it with locking",
] as const;
const REASONS: Readonly<Record<string, readonly [LockErrorCode, string]>> = {
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EROFS: ["not-writable", "its filesystem is read-only"],
  ELOOP: ["failed", "it is a symbolic link, and those are not followed: remove it"],
  EISDIR: ["failed", "it is a directory: remove it"],
  // libuv has no name for ENOLCK, which is what a network filesystem without a lock service says.
  [`Unknown system error ${-system.errno.ENOLCK}`]: NO_LOCKS,
  ENOSYS: NO_LOCKS,
  EINVAL: NO_LOCKS,
  ENOTSUP: NO_LOCKS,
  EOPNOTSUPP: NO_LOCKS,
};

/**
 * Opened anew for each acquisition, because locks belong to the opening: a second one on the same opening would succeed.
 * Never unlinked: afterwards a second holder could lock another file of the same name.
 */
export class LockFile {
  readonly path: string;
  readonly descriptor: number;
  #hasLocked = false;

  /** A link is not followed: in a repository of somebody else's it could lead to any file, and we write into it. */
  static openOrCreate(path: string, mode: number): LockFile {
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    return LockFile.#open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode);
  }

  /** To look only; undefined when nobody has ever locked it. */
  static openExisting(path: string): LockFile | undefined {
    try {
      return LockFile.#open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      if (((error as Error).cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  static #open(path: string, flags: number, mode?: number): LockFile {
    // Not blocking, lest a planted pipe without a writer holds us.
    const file = new LockFile(
      path,
      explained(path, () => openSync(path, flags | constants.O_NONBLOCK, mode)),
    );
    if (fstatSync(file.descriptor).isFile()) return file;
    file.close();
    throw new LockError(path, new Error("it is not a file: remove it"));
  }

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.descriptor = descriptor;
  }

  tryLock({ from, length }: LockRange): boolean {
    const isLocked = explained(this.path, () => tryLock(this.descriptor, from, length));
    this.#hasLocked ||= isLocked;
    return isLocked;
  }

  /** Whether nobody else has a lock in the range; two that look at once do not hinder each other. */
  isFree({ from, length }: LockRange): boolean {
    const isFree = explained(this.path, () =>
      tryLock(this.descriptor, from, length, { shared: true }),
    );
    if (isFree) this.unlock({ from, length });
    return isFree;
  }

  unlock({ from, length }: LockRange): void {
    explained(this.path, () => unlock(this.descriptor, from, length));
  }

  /** A lock that is held goes too, even if a stray grandchild has inherited the descriptor. */
  close(): void {
    try {
      if (this.#hasLocked) this.unlock(EVERYTHING);
    } finally {
      closeSync(this.descriptor);
    }
  }
}

function explained<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new LockError(path, error as NodeJS.ErrnoException);
  }
}
