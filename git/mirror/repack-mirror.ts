// Joins a mirror's many small packs into few, while everybody goes on reading it.
import { existsSync } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { runGit } from "../command/run-git.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import { type PackSize, packsToJoin } from "./pack-progression.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";

export type RepackOutcome =
  /** A fetch or another repacking runs; there will be another time. */
  | { readonly kind: "busy" }
  | { readonly kind: "not-needed"; readonly packs: number }
  | { readonly kind: "repacked"; readonly joined: number; readonly packs: number };

const PACKS_MAX = 8;
const REPACK_TIMEOUT_MS = 3_600_000;

/**
 * Never drops an object: repositories of results borrow from here, and may need what no ref leads to any more. Writing
 * takes as long as it takes, under the long lock only; the old packs are removed afterwards under the repository lock,
 * because whoever links packs into a template reads their list and links them under that one.
 */
export async function repackMirror(
  { gitDir }: { readonly gitDir: string },
  locks: RepositoryLocks,
  signal?: AbortSignal,
): Promise<RepackOutcome> {
  try {
    const request = { purpose: "repack", timeoutMs: 0, signal };
    return await locks.holdLong(gitDir, request, async ({ descriptor }) => {
      return await repack({ gitDir, locks, signal, held: [descriptor] });
    });
  } catch (error) {
    if (error instanceof LockTimeout) return { kind: "busy" };
    throw error;
  }
}

interface RepackContext {
  readonly gitDir: string;
  readonly locks: RepositoryLocks;
  readonly signal: AbortSignal | undefined;
  readonly held: readonly number[];
}

async function repack(context: RepackContext): Promise<RepackOutcome> {
  const { gitDir, locks, signal } = context;
  const recovery = { purpose: "recover before repack", signal };
  await locks.hold(gitDir, recovery, async () => removeStaleFiles(gitDir));
  const packs = await readPacks(gitDir);
  const old = packs.length > PACKS_MAX ? packsToJoin(packs) : [];
  const isWorthwhile = old.length > 1 || (await hasLooseObjects(gitDir));
  if (isWorthwhile) await joinPacks(packs, old, context);
  if (isWorthwhile || !existsSync(join(gitDir, "objects/info/commit-graph"))) {
    await writeCommitGraph(context);
  }
  const left = isWorthwhile ? (await readPacks(gitDir)).length : packs.length;
  return isWorthwhile
    ? { kind: "repacked", joined: old.length, packs: left }
    : { kind: "not-needed", packs: left };
}

async function joinPacks(
  packs: readonly PackSize[],
  old: readonly PackSize[],
  { gitDir, locks, signal, held }: RepackContext,
): Promise<void> {
  const staying = packs.filter((pack) => !old.includes(pack));
  // All objects of these packs that are not in those, and loose ones: whether a ref leads to them or not.
  const input = [
    ...old.map(({ name }) => `${name}.pack\n`),
    ...staying.map(({ name }) => `^${name}.pack\n`),
  ];
  const flags = ["--quiet", "--non-empty", "--delta-base-offset", "--stdin-packs", "--unpacked"];
  const directory = join(gitDir, "objects/pack");
  const options = { gitDir, signal, lockDescriptors: held, timeoutMs: REPACK_TIMEOUT_MS };
  const { stdout } = await runGit(["pack-objects", ...flags, join(directory, "pack")], {
    ...options,
    input: input.join(""),
    config: [["pack.threads", "1"]], // in the background: jobs go first
  });
  const made = new Set(
    stdout
      .toString("utf8")
      .split("\n")
      .map((hash) => `pack-${hash}`),
  );
  await syncDirectory(directory);
  const request = { purpose: "remove joined packs", signal };
  await locks.hold(gitDir, request, async ({ descriptor }) => {
    for (const { name } of old) if (!made.has(name)) await removePack(directory, name);
    const both = { gitDir, lockDescriptors: [...held, descriptor] };
    if (await hasLooseObjects(gitDir)) await runGit(["prune-packed", "--quiet"], both);
    await runGit(["pack-refs", "--all"], both);
  });
}

/** The index first: a pack without one is seen by nobody, and swept if we are killed in between. */
async function removePack(directory: string, name: string): Promise<void> {
  const files = (await readdir(directory)).filter((file) => file.startsWith(`${name}.`));
  const index = `${name}.idx`;
  for (const file of [index, ...files.filter((other) => other !== index)]) {
    await rm(join(directory, file), { force: true });
  }
}

/** Whether one commit leads to another is told five times as fast with it. */
async function writeCommitGraph({ gitDir, signal, held }: RepackContext): Promise<void> {
  const args = ["commit-graph", "write", "--reachable", "--no-progress"];
  await runGit(args, { gitDir, signal, lockDescriptors: held, timeoutMs: REPACK_TIMEOUT_MS });
}

async function readPacks(gitDir: string): Promise<PackSize[]> {
  const directory = join(gitDir, "objects/pack");
  const names = (await readdir(directory)).filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name));
  return await Promise.all(
    names.map(async (name) => ({
      name: name.slice(0, -".idx".length),
      objects: await countObjects(join(directory, name)),
    })),
  );
}

/** The last of the 256 numbers that follow the eight bytes of head counts all objects. */
async function countObjects(index: string): Promise<number> {
  const file = await open(index, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 8 + 255 * 4);
    if (bytesRead < 4) throw new Error(`cannot read the pack index '${index}': it is cut off`);
    return buffer.readUInt32BE();
  } finally {
    await file.close();
  }
}

/** The new pack's name must be on the disk before the old ones go. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** None should ever be here: templates link packs only. */
async function hasLooseObjects(gitDir: string): Promise<boolean> {
  return (await readdir(join(gitDir, "objects"))).some((name) => /^[0-9a-f]{2}$/.test(name));
}
