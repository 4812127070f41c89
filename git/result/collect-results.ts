// Gives back what owners' results need no more: refs of runs that nobody wants, then the disk that their objects take.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GitDirectories } from "../disk/git-directories.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import { removeStaleFiles } from "../mirror/remove-stale-files.ts";
import { packNames, repackResults } from "./repack-results.ts";
import { removeRefsOf, runsIn } from "./run-refs.ts";

/** Of these runs, those whose results may still be asked for. */
export type WantedRuns = (runs: readonly string[]) => Promise<ReadonlySet<string>>;

export interface CollectParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
}

export interface Collection {
  /** Runs whose refs are gone. */
  readonly forgotten: readonly string[];
  /** Repositories that were packed anew. */
  readonly repacked: readonly string[];
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/** Every step adds a pack. */
const PACKS_MAX = 50;
/** Says that refs have gone and their objects have not, also after a kill. */
const WASTE = "croft-waste";
/** Longer than any attempt lasts that a fence could keep out. */
const FENCE_AGE_MS = 30 * 86_400_000;

/** One repository that cannot be collected keeps no other; one that somebody works in long has another time. */
export async function collectResults(
  parts: CollectParts,
  wanted: WantedRuns,
  signal?: AbortSignal,
): Promise<Collection> {
  const forgotten: string[] = [];
  const repacked: string[] = [];
  const failed: { path: string; reason: string }[] = [];
  for (const gitDir of await repositoriesIn(parts.directories.results)) {
    if (signal?.aborted) break;
    try {
      const outcome = await collectOne(parts, gitDir, wanted, signal);
      forgotten.push(...outcome.forgotten);
      if (outcome.isRepacked) repacked.push(gitDir);
    } catch (error) {
      if (error instanceof LockTimeout || signal?.aborted) continue;
      failed.push({ path: gitDir, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { forgotten: [...new Set(forgotten)], repacked, failed };
}

/** A run is known to whoever answers before it has a ref, so one that is not known any more is over. */
async function collectOne(
  { directories, locks }: CollectParts,
  gitDir: string,
  wanted: WantedRuns,
  signal: AbortSignal | undefined,
): Promise<{ readonly forgotten: readonly string[]; readonly isRepacked: boolean }> {
  const runs = await runsIn({ gitDir });
  const kept = runs.length === 0 ? new Set<string>() : await wanted(runs);
  const forgotten = runs.filter((run) => !kept.has(run));
  const request = { purpose: "collect results", timeoutMs: 0, signal };
  return await locks.holdLong(gitDir, request, async ({ descriptor: long }) => {
    const short = { purpose: "forget runs", signal };
    if (forgotten.length > 0) {
      await locks.hold(gitDir, short, async ({ descriptor }) => {
        removeStaleFiles(gitDir);
        writeFileSync(join(gitDir, WASTE), "");
        const options = { gitDir, lockDescriptors: [long, descriptor] };
        for (const run of forgotten) await removeRefsOf(run, options);
      });
    }
    await removeOldFences(gitDir);
    const isWorthwhile = existsSync(join(gitDir, WASTE)) || packNames(gitDir).length > PACKS_MAX;
    if (!isWorthwhile) return { forgotten, isRepacked: false };
    await repackResults({ directories, locks, gitDir, signal, held: [long] });
    rmSync(join(gitDir, WASTE), { force: true });
    return { forgotten, isRepacked: true };
  });
}

async function removeOldFences(gitDir: string): Promise<void> {
  const directory = join(gitDir, "croft-fences");
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (Date.now() - (await stat(path)).mtimeMs > FENCE_AGE_MS) await rm(path, { force: true });
  }
}

async function repositoriesIn(results: string): Promise<string[]> {
  const found: string[] = [];
  for (const owner of await namesIn(results)) {
    const names = await namesIn(join(results, owner));
    found.push(
      ...names.filter((name) => name.endsWith(".git")).map((name) => join(results, owner, name)),
    );
  }
  return found;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
