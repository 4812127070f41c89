// Four processes with many runs at once on one repository, all kinds mixed: no git error, nothing left. Beside it, how plain git fares.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findLeftovers } from "../support/find-leftovers.ts";
import { git, makeRepository } from "../support/make-repository.ts";
import { findDamage, mirrorsIn, resultsIn } from "../support/stored-repositories.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

export interface StormOptions extends FaultOptions {
  readonly processes: number;
  /** In one process, at the same time. */
  readonly runs: number;
}

/** `count` runs in all. */
export async function stormRepository(options: StormOptions): Promise<FaultResult> {
  const { directory, processes, runs, count, seed } = options;
  const plan = { files: 200, commits: 5, odd: true, seed };
  const origin = await makeRepository(join(directory, "remotes"), "app", plan);
  const checkout = join(directory, "checkout");
  await git(["clone", "--quiet", origin, checkout]);
  const baseline = await stormUncoordinated(origin, join(directory, "plain"), processes * runs);
  process.stdout.write(
    `baseline: the same work with plain git, uncoordinated: ${baseline.failed} of ${baseline.commands} commands failed\n`,
  );
  const data = join(directory, "data");
  const rounds = Math.ceil(count / (processes * runs));
  const outcomes = await runWorkers({ data, origin, checkout }, { processes, runs, rounds });
  const gitDirs = mirrorsIn(data);
  const failures = [
    ...outcomes.flatMap(({ errors }) => errors),
    ...findLeftovers(data, [...gitDirs, join(checkout, ".git")]),
    ...(await findDamage([...gitDirs, join(checkout, ".git"), ...resultsIn(data)])),
  ];
  const injected = outcomes.reduce((sum, { done }) => sum + done, 0);
  return {
    injected,
    figures: {
      ...{ processes, at_once: processes * runs, rounds },
      baseline_commands: baseline.commands,
      baseline_failed: baseline.failed,
    },
    failures,
  };
}

interface Outcome {
  readonly done: number;
  readonly errors: readonly string[];
}

async function runWorkers(
  places: { data: string; origin: string; checkout: string },
  { processes, runs, rounds }: { processes: number; runs: number; rounds: number },
): Promise<Outcome[]> {
  const script = join(import.meta.dirname, "git-storm-worker.ts");
  const { data, origin, checkout } = places;
  const workers = Array.from({ length: processes }, (_, number) => {
    const args = [data, origin, checkout, `w${number}`, String(runs), String(rounds)];
    return spawn(process.execPath, ["--import", "tsx", script, ...args], {
      cwd: import.meta.dirname,
      stdio: ["pipe", "pipe", "inherit"],
    });
  });
  await Promise.all(workers.map(({ stdout }) => once(stdout, "data")));
  for (const { stdin } of workers) stdin.write("go\n");
  return await Promise.all(workers.map(outcomeOf));
}

async function outcomeOf(worker: ChildProcess): Promise<Outcome> {
  let output = "";
  worker.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(worker, "close");
  const last = output.trim().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) {
    return { done: 0, errors: [`a worker ended with ${code}: ${last}`] };
  }
  return JSON.parse(last);
}

/** Branch, worktree, commit, remove, prune, fetch and repack, as scripts do it: without knowing of each other. */
async function stormUncoordinated(origin: string, repository: string, flows: number) {
  await git(["clone", "--quiet", origin, repository]);
  let commands = 0;
  let failed = 0;
  const attempt = async (args: readonly string[], cwd = repository) => {
    commands++;
    await git(args, cwd).catch(() => failed++);
  };
  await Promise.all(
    Array.from({ length: flows }, async (_, number) => {
      const tree = `${repository}-${number}`;
      await attempt(["worktree", "add", "--quiet", "-b", `b${number}`, tree, "origin/main"]);
      await attempt(["commit", "--quiet", "--allow-empty", "-m", "work"], tree);
      if (number % 5 === 3) await attempt(["fetch", "--quiet", "origin"]);
      if (number % 7 === 0) await attempt(["repack", "-a", "-d", "-q"]);
      await attempt(["worktree", "remove", "--force", tree]);
      await attempt(["worktree", "prune"]);
    }),
  );
  return { commands, failed };
}
