// SIGKILL at every system call that changes something, of the process or of its git: the next one succeeds, and nothing is left.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { unmountBelow } from "../support/unmount-below.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import type { DriverPlan, Operation } from "./git-kill-driver.ts";
import { describePoint, findKillPoints } from "./git-kill-points.ts";
import {
  doNext,
  findTraces,
  type KillScene,
  makeKillScene,
  resetScene,
  restoreMirror,
} from "./git-kill-scene.ts";
import type { DriverEnd, KillPoint } from "./run-kill-driver.ts";
import { bundleDriver, killDriver, recordDriver } from "./run-kill-driver.ts";
import { writePrograms } from "./traced-programs.ts";

export const OPERATIONS: readonly Operation[] = [
  ...(["mirror-create", "mirror-update", "mirror-repack"] as const),
  ...(["template-whole", "template-delta", "overlay-create", "overlay-remove"] as const),
  ...(["clone-create", "clone-remove", "worktree-add", "worktree-remove"] as const),
  "sweep", // killed while it clears up after others who were killed
];

/** Whether this machine can do it at all. */
export function canKillEverywhere(): boolean {
  const { status } = spawnSync("strace", ["--version"], { stdio: "ignore" });
  return process.getuid?.() === 0 && status === 0;
}

/** More would only be the same again. */
const FAILURES_MAX = 10;

interface Gun {
  readonly bundle: string;
  readonly programs: string;
  readonly directory: string;
}

/** `count` points of each operation, chosen by the seed; all of them if there are no more. */
export async function killEverywhere(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const gun = {
    directory,
    programs: writePrograms(directory),
    bundle: await bundleDriver(directory),
  };
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  let injected = 0;
  try {
    const scene = await makeKillScene(directory);
    for (const operation of OPERATIONS) {
      const outcome = await killDuring(operation, scene, gun, { random, count });
      figures[`${operation.replaceAll("-", "_")}_points`] = outcome.points;
      figures[`${operation.replaceAll("-", "_")}_hits`] = outcome.hits;
      injected += outcome.hits;
      failures.push(...outcome.failures);
      if (failures.length >= FAILURES_MAX) break;
    }
  } finally {
    unmountBelow(directory);
  }
  return { injected, figures, failures };
}

async function killDuring(
  operation: Operation,
  scene: KillScene,
  gun: Gun,
  { random, count }: { random: SeededRandom; count: number },
) {
  const all = await recordPoints(operation, scene, gun);
  const failures: string[] = all.length === 0 ? [`${operation}: no points`] : [];
  let hits = 0;
  for (const point of chooseSome(all, count, random)) {
    const { isHit, wrong } = await killOnce(operation, scene, gun, point);
    if (isHit) hits++;
    failures.push(...wrong.map((what) => `${operation}, ${describePoint(point)}: ${what}`));
    if (failures.length >= FAILURES_MAX) break;
  }
  return { points: all.length, hits, failures };
}

async function recordPoints(operation: Operation, scene: KillScene, gun: Gun) {
  const log = logOf(gun, operation);
  await restoreMirror(scene);
  await resetScene(scene, operation);
  const { outcome } = await recordDriver(gun.bundle, planOf(operation, scene, gun), log);
  if (outcome === undefined || !("isDone" in outcome)) {
    throw new Error(`${operation} fails undisturbed: ${JSON.stringify(outcome)}`);
  }
  await findTraces(scene);
  return findKillPoints(log);
}

async function killOnce(operation: Operation, scene: KillScene, gun: Gun, point: KillPoint) {
  const wrong: string[] = [];
  const attempt = async (what: string, work: () => Promise<readonly string[]>) => {
    try {
      wrong.push(...(await work()).map((found) => `${what}: ${found}`));
    } catch (error) {
      wrong.push(`${what}: ${error instanceof Error ? error.stack : error}`);
    }
  };
  await resetScene(scene, operation);
  const log = logOf(gun, operation);
  const plan = planOf(operation, scene, gun);
  const end = await killDriver(gun.bundle, plan, point, log);
  wrong.push(...untypedIn(end));
  await attempt("the next one", () => doNext(scene, operation));
  await attempt("left", () => findTraces(scene));
  return { isHit: end.isHit, wrong };
}

/** Whoever survives the death of a child says what happened in a way that a caller can act upon. */
function untypedIn({ outcome }: DriverEnd): string[] {
  if (outcome === undefined) return [];
  if ("isDone" in outcome) return [...outcome.reports];
  const { name, code, message } = outcome;
  const isTyped = /^(Git|Workspace|Worktree|Lock|Mount)\w*(Error|Timeout)$/.test(name);
  return isTyped && code !== undefined ? [] : [`it ended with ${name} ${code}: ${message}`];
}

function planOf(operation: Operation, scene: KillScene, { programs }: Gun): DriverPlan {
  const { data, origin, checkout, git, commits } = scene;
  const { platform } = git;
  return { operation, data, origin, checkout, commit: commits[0], programs, platform };
}

function logOf({ directory }: Gun, operation: Operation): string {
  const log = join(directory, "traces", operation);
  rmSync(log, { recursive: true, force: true });
  mkdirSync(log, { recursive: true });
  chmodSync(log, 0o777); // programs of the jobs' user write there too
  return log;
}

function chooseSome<T>(all: readonly T[], count: number, random: SeededRandom): T[] {
  if (all.length <= count) return [...all];
  const rest = [...all];
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)).flat();
}
