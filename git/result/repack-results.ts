// Packs an owner's results anew: what a ref leads to stays, the rest goes, and whoever works with them goes on.
import { linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { packFiles } from "../checkout/lay-out-repository.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { removeStaleFiles } from "../mirror/remove-stale-files.ts";
import { packsIn } from "./in-quarantine.ts";
import { MODEST, prepareQuarantine, quotedPath } from "./take-in.ts";

export interface RepackPlan {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly gitDir: string;
  readonly signal: AbortSignal | undefined;
  /** Descriptors of locks, for every git that is started. */
  readonly held: readonly number[];
}

const REPACK_TIMEOUT_MS = 3_600_000;

/**
 * Under the long lock. The old packs are linked into a place of ours, where they cannot go away, and what the refs lead to
 * and the mirror has not is packed there, however long that takes. Then, under the repository lock, the new pack takes the
 * place of the old ones. What came meanwhile stays as it is: a new ref stands on refs that were there, on the mirror, or on
 * the pack that came with it, because whoever sets one does so under the lock and brings what no ref leads to.
 */
export async function repackResults(plan: RepackPlan): Promise<void> {
  const { directories, locks, gitDir, signal, held } = plan;
  const place = stagingPlace(directories, "repack");
  try {
    await mkdir(place, { mode: 0o700 });
    prepareQuarantine(place);
    const request = { purpose: "look through results", signal };
    const { old, loose, tips } = await locks.hold(gitDir, request, async ({ descriptor }) => {
      removeStaleFiles(gitDir);
      const names = packNames(gitDir);
      const single = looseObjects(gitDir);
      for (const file of [...packFiles(packsOf(gitDir)).map((name) => `pack/${name}`), ...single]) {
        const to = join(place, "objects", file);
        mkdirSync(dirname(to), { recursive: true });
        linkSync(join(gitDir, "objects", file), to);
      }
      const options = { gitDir, lockDescriptors: [...held, descriptor] };
      return { old: names, loose: single, tips: await readTips(options) };
    });
    const made = tips.length === 0 ? undefined : await packReachable(plan, place, tips);
    await replacePacks(plan, { place, old, loose, made });
  } catch (error) {
    throw asDiskError(error);
  } finally {
    await removeTree(place);
  }
}

/** `--local`: what the mirror has is not packed again. */
async function packReachable(
  { directories, gitDir, signal, held }: RepackPlan,
  place: string,
  tips: readonly string[],
): Promise<string | undefined> {
  const mirror = join(directories.mirrors, basename(gitDir), "objects");
  const flags = ["--revs", "--local", "--non-empty", "--quiet", "--delta-base-offset"];
  const { stdout } = await runGit(["pack-objects", ...flags, join(packsIn(place), "pack")], {
    ...{ gitDir, signal, lockDescriptors: held, timeoutMs: REPACK_TIMEOUT_MS },
    input: tips.map((tip) => `${tip}\n`).join(""),
    config: [["pack.threads", "1"]], // in the background: jobs go first
    variables: {
      ...MODEST,
      GIT_OBJECT_DIRECTORY: join(place, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(mirror),
    },
  });
  const hash = stdout.toString("latin1").trim();
  return hash === "" ? undefined : `pack-${hash}`;
}

interface Replacement {
  readonly place: string;
  readonly old: readonly string[];
  readonly loose: readonly string[];
  readonly made: string | undefined;
}

/** The new name is on the disk before the old ones go. The same objects make the same pack: then it is there already. */
async function replacePacks(
  { locks, gitDir, signal, held }: RepackPlan,
  { place, old, loose, made }: Replacement,
): Promise<void> {
  const to = packsOf(gitDir);
  await locks.hold(gitDir, { purpose: "replace packs", signal }, async ({ descriptor }) => {
    if (made !== undefined && !old.includes(made)) {
      for (const file of packFiles(packsIn(place)).filter((name) => name.startsWith(made))) {
        linkSync(join(packsIn(place), file), join(to, file));
      }
    }
    await syncDirectory(to);
    for (const name of old) if (name !== made) removePack(to, name);
    for (const file of loose) rmSync(join(gitDir, "objects", file), { force: true });
    await runGit(["pack-refs", "--all"], { gitDir, lockDescriptors: [...held, descriptor] });
  });
}

/** By their names, without the ending. */
export function packNames(gitDir: string): string[] {
  return readdirSync(packsOf(gitDir)).flatMap((name) =>
    /^pack-[0-9a-f]+\.idx$/.test(name) ? [name.slice(0, -".idx".length)] : [],
  );
}

/** Results come in packs: these are from somebody else's hand. */
function looseObjects(gitDir: string): string[] {
  const objects = join(gitDir, "objects");
  const directories = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return directories.flatMap((name) =>
    readdirSync(join(objects, name)).map((file) => `${name}/${file}`),
  );
}

function packsOf(gitDir: string): string {
  return join(gitDir, "objects/pack");
}

/** The index first: a pack without one is seen by nobody, and removed as stale if we are killed in between. */
function removePack(directory: string, name: string): void {
  const files = readdirSync(directory).filter((file) => file.startsWith(`${name}.`));
  const index = `${name}.idx`;
  for (const file of [index, ...files.filter((other) => other !== index)]) {
    rmSync(join(directory, file), { force: true });
  }
}

async function readTips(options: RunGitOptions): Promise<string[]> {
  const { stdout } = await runGit(["for-each-ref", "--format=%(objectname)"], options);
  return [...new Set(stdout.toString("latin1").split("\n"))].filter((line) => line !== "");
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
