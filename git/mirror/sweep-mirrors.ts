// Clears up after killed processes among the mirrors: their lock files, half packs and wishes. Waits for nobody.
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type GitDirectories, removeTree } from "../disk/git-directories.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import { bringBack, whoLeaves } from "./leaving-mirror.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";
import { Wishes } from "./wishes.ts";

export interface MirrorSweep {
  readonly removed: readonly string[];
  /** What was not looked into, and why. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
}

export async function sweepMirrors(
  { mirrors }: Pick<GitDirectories, "mirrors">,
  locks: RepositoryLocks,
): Promise<MirrorSweep> {
  const removed: string[] = [];
  const kept: { path: string; reason: string }[] = [];
  for (const name of await namesIn(mirrors)) {
    const path = join(mirrors, name);
    if (/^\..+\.git\.wanted$/.test(name)) {
      removed.push(...(await new Wishes(path).sweep()));
    } else if (whoLeaves(name) !== undefined) {
      removed.push(...(await settleLeaving(join(mirrors, whoLeaves(name) ?? ""), path, locks)));
    } else if (/^[^.].*\.git$/.test(name)) {
      removed.push(...(await sweepOne(path, locks)));
    } else {
      kept.push({ path, reason: "not made by Croft" });
    }
  }
  return { removed, kept };
}

/** Of a remover who died: it comes back, unless somebody has made a new one; whether it is wanted is asked anew. */
async function settleLeaving(
  gitDir: string,
  leaving: string,
  locks: RepositoryLocks,
): Promise<string[]> {
  const request = { purpose: "sweep", timeoutMs: 0 };
  try {
    return await locks.holdLong(gitDir, request, async () => {
      if ((await bringBack(gitDir)) || !existsSync(leaving)) return [];
      await removeTree(leaving);
      return [leaving];
    });
  } catch (error) {
    if (error instanceof LockTimeout) return []; // its remover is at work
    throw error;
  }
}

/** Both locks, or nothing: while somebody works in it, its files are not stale. */
async function sweepOne(gitDir: string, locks: RepositoryLocks): Promise<string[]> {
  const request = { purpose: "sweep", timeoutMs: 0 };
  try {
    return await locks.holdLong(gitDir, request, async () =>
      locks.hold(gitDir, request, async () => removeStaleFiles(gitDir)),
    );
  } catch (error) {
    if (error instanceof LockTimeout) return []; // in use: no news
    throw error;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
