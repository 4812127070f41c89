// Removes the lock file that a killed git left on the branch of a dead worktree, if nobody can be holding it.
import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processesIn } from "../command/process-tree.ts";
import type { LedgerEntry } from "../workspace/ledger.ts";
import type { CallersRepository } from "./find-repository.ts";
import { removeFileAsOwner } from "./remove-as-owner.ts";

/** Git closes a lock file before it renames it, so for moments it is held and open nowhere; no longer than this. */
const HELD_CLOSED_MS = 1000;

export interface RefLockContext {
  readonly repository: CallersRepository;
  /** Of a row that is not live, whose registration is ours and whose HEAD names the branch. */
  readonly entry: Pick<LedgerEntry, "id" | "createdAt">;
  readonly branch: string;
  /** When the repository's lock was taken: every git of ours that ran before has ended. */
  readonly heldSinceMs: number;
}

/**
 * Says why it was kept; undefined when there is none (any more). The developer's own git works without our lock, so more
 * must be true: the branch is checked out in the dead worktree, where git lets nobody else move it; the file was made
 * in the worktree's time and before we took the lock; no process has it open, and for a second nobody has touched it.
 */
export async function removeStaleRefLock(context: RefLockContext): Promise<string | undefined> {
  const { repository, branch } = context;
  const path = refLockPath(repository.commonDir, branch);
  const first = lockFileAt(path);
  if (first === undefined) return undefined;
  const doubt = doubtAbout(path, first, context);
  if (doubt !== undefined) return doubt;
  const youngMs = HELD_CLOSED_MS - (Date.now() - first.mtimeMs);
  if (youngMs > 0) await delay(youngMs);
  const second = lockFileAt(path);
  if (second === undefined) return undefined;
  if (second.ino !== first.ino || second.mtimeMs !== first.mtimeMs) return "a git is using it";
  removeFileAsOwner(path, repository.owner);
  return undefined;
}

export function refLockPath(commonDir: string, branch: string): string {
  return `${join(commonDir, "refs/heads", branch)}.lock`;
}

function doubtAbout(path: string, file: Stats, context: RefLockContext): string | undefined {
  const { repository, entry, heldSinceMs } = context;
  const uid = repository.owner?.uid ?? process.geteuid?.();
  if (!file.isFile() || file.uid !== uid) return "it is not a file of the repository's owner";
  if (file.mtimeMs < Date.parse(entry.createdAt)) return "it is older than the worktree";
  if (file.mtimeMs > heldSinceMs) return "it is younger than the repository's lock";
  if (process.platform !== "linux") return "only /proc tells whether a process has it open";
  const users = [...new Set([uid, 0])].flatMap((user) => processesIn([path], user));
  return users.length === 0 ? undefined : `process ${users.join(", ")} has it open`;
}

function lockFileAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
