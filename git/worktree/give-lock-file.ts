// Makes the lock file in a repository of somebody else's his.
import { closeSync, constants, fchownSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { CallersRepository } from "./find-repository.ts";

/** Made by root and root's, it would keep out a Croft that its owner runs himself. Links of no kind are followed. */
export function giveLockFile({ commonDir, owner }: CallersRepository): void {
  if (owner === undefined) return;
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(join(commonDir, "croft.lock"), flags, 0o600);
  try {
    const { uid, nlink } = fstatSync(descriptor);
    if (uid === 0 && nlink === 1) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}
