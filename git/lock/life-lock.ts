// A lock that a process holds as long as it lives, in each data directory it works on: the kernel says when it is over.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { makeDirectories } from "../disk/make-directories.ts";

/** One name for the whole life, whatever directories it is claimed in. */
let own: string | undefined;
/** The open file is the lock. */
const claimed = new Map<string, { readonly descriptor: number; claims: number }>();

const TRIES_MAX = 100;

export function ownLife(): string | undefined {
  return own;
}

/** Numbers of processes differ between containers that share a volume; a file lock does not. */
export async function claimLife(locks: string): Promise<void> {
  const directory = join(locks, "lives");
  await makeDirectories(directory, 0o700);
  const known = claimed.get(directory);
  if (known !== undefined) {
    known.claims++;
    return;
  }
  own ??= randomBytes(8).toString("hex");
  const path = join(directory, own);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    // A sweep may have taken it for a dead one's between our opening and our locking.
    if (tryLock(descriptor) && isStillThere(descriptor, path)) {
      claimed.set(directory, { descriptor, claims: 1 });
      return;
    }
    closeSync(descriptor);
  }
  throw new Error(`cannot lock '${path}'`);
}

/** With the last claim given back, whatever was left here counts as a dead one's. */
export function releaseLife(locks: string): void {
  const directory = join(locks, "lives");
  const known = claimed.get(directory);
  if (known === undefined || --known.claims > 0) return;
  claimed.delete(directory);
  rmSync(join(directory, own ?? ""), { force: true });
  closeSync(known.descriptor);
}

/** Known only in directories that this process has claimed itself; where it has none, everybody may live. */
export function isLifeOver(life: string): boolean {
  if (life === own || claimed.size === 0) return false;
  return [...claimed.keys()].every((directory) => !isLocked(join(directory, life)));
}

/** Names are never given twice, so these files may go. */
export function sweepLives(locks: string): void {
  const directory = join(locks, "lives");
  if (!claimed.has(directory)) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name !== own && !isLocked(path)) rmSync(path, { force: true });
  }
}

function isLocked(path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  try {
    return !tryLock(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isStillThere(descriptor: number, path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
}
