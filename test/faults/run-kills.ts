// SIGKILL of workers and of the server in every phase of runs: each ends as if nothing had been, and no step runs twice.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { resultsIn } from "../support/stored-repositories.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { judgeHost } from "./judge-host.ts";
import { type KilledRun, killedRun, PHASES, type Phase } from "./killed-run.ts";
import { RunHost } from "./run-host.ts";
import { type RunStory, tellStory } from "./run-story.ts";

const PLAN = { workers: 2, slots: 4, repository: { files: 20, seed: 1 } };
/** At the same time; enough for each phase to be there at any moment. */
const OPEN_RUNS = 5;
/** The moment is somewhere in this time after the phase was seen; those without a script are short. */
const WITHIN_MS: Record<Phase, number> = {
  ...{ start: 1, plan: 600, build: 700, notes: 600, merge: 100, verify: 600, push: 100 },
};
/** So often the server goes as well, with everybody. */
const ALL_EVERY = 25;
const ENOUGH_FOR_ALL_PHASES = 50;
const PHASE_CEILING_MS = 60_000;
const END_CEILING_MS = 240_000;

export async function killDuringRuns(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const host = await RunHost.open(directory, PLAN);
  const scene = new RunKills(host, seededRandom(seed));
  const figures: Record<string, number> = {};
  const failures: string[] = [];
  try {
    await scene.runUndisturbed();
    const killing = new AbortController();
    const feeding = scene.feed(killing.signal);
    feeding.catch(() => killing.abort());
    try {
      while (scene.kills < count && !killing.signal.aborted) await scene.kill();
    } finally {
      killing.abort();
      await feeding;
    }
    await host.untilNone("croft.run where finished_at is null", END_CEILING_MS);
    failures.push(...(await scene.judge()), ...(await judgeHost(host)));
    if (count > ENOUGH_FOR_ALL_PHASES) failures.push(...scene.sparedPhases());
  } catch (error) {
    failures.push(`after ${scene.kills} kills: ${error instanceof Error ? error.message : error}`);
    failures.push(...(await host.stop().catch(String)));
  }
  Object.assign(figures, { runs: scene.runs, server_kills: scene.serverKills }, scene.killedIn);
  return { injected: scene.kills, figures, failures };
}

class RunKills {
  kills = 0;
  serverKills = 0;
  /** Attempts that were cut off, by what they were at. */
  readonly killedIn: Record<string, number> = Object.fromEntries(
    PHASES.map((phase) => [`in_${phase}`, 0]),
  );
  readonly #host: RunHost;
  readonly #random: SeededRandom;
  readonly #runs: (KilledRun & { readonly id: string })[] = [];

  constructor(host: RunHost, random: SeededRandom) {
    this.#host = host;
    this.#random = random;
  }

  get runs(): number {
    return this.#runs.length;
  }

  async #start(): Promise<void> {
    const run = killedRun(this.#runs.length);
    this.#runs.push({ ...run, id: await this.#host.start(run) });
  }

  /** Those that the others are compared with. */
  async runUndisturbed(): Promise<void> {
    await this.#start();
    await this.#start();
    await this.#host.untilNone("croft.run where finished_at is null", END_CEILING_MS);
  }

  /** New runs as others end, until there are kills enough. */
  async feed(over: AbortSignal): Promise<void> {
    const mayStart = async () => {
      const { rows } = await this.#host.pool.query<{ open: number }>(
        "select count(*)::integer as open from croft.run where finished_at is null",
      );
      return over.aborted || (rows[0]?.open ?? 0) < OPEN_RUNS;
    };
    while (!over.aborted) {
      await waitUntil("a run to end", mayStart, END_CEILING_MS);
      if (!over.aborted) await this.#start();
    }
  }

  /** Whoever is at the phase whose turn it is, somewhere in it. */
  async kill(): Promise<void> {
    if (this.kills % ALL_EVERY === ALL_EVERY - 1) return await this.#killAll();
    const phase = PHASES[this.kills % PHASES.length] ?? "start";
    const pid = await waitUntil(`'${phase}'`, () => this.#whoIsAt(phase), PHASE_CEILING_MS);
    await delay(this.#random.below(WITHIN_MS[phase]));
    const { workers, server } = this.#host;
    if (pid === server.pid) return await this.#killServer();
    const number = workers.findIndex((worker) => worker.pid === pid);
    const victim = workers[number];
    if (victim === undefined) throw new Error(`nobody here is process ${pid}`);
    victim.child.kill("SIGKILL");
    await victim.exit;
    await this.#countCut(pid);
    const next = this.#host.startWorker();
    workers[number] = next;
    await this.#host.whenReady(next);
  }

  async #killServer(): Promise<void> {
    const { server } = this.#host;
    server.child.kill("SIGKILL");
    await server.exit;
    this.serverKills++;
    await this.#countCut(server.pid);
    await this.#host.startServer();
  }

  async #killAll(): Promise<void> {
    const { workers, server } = this.#host;
    const victims = [server, ...workers];
    for (const { child } of victims) child.kill("SIGKILL");
    for (const { exit, pid } of victims) {
      await exit;
      await this.#countCut(pid);
    }
    this.serverKills++;
    await this.#host.startServer();
    for (const number of workers.keys()) {
      const next = this.#host.startWorker();
      workers[number] = next;
      await this.#host.whenReady(next);
    }
  }

  async #whoIsAt(phase: Phase): Promise<number | undefined> {
    const { server, workers } = this.#host;
    const living = [server, ...workers].map(({ pid }) => pid);
    const { rows } = await this.#host.pool.query<{ pid: number }>(
      `select w.pid from croft.job j join croft.worker w on w.id = j.worker_id
       where j.status = 'running' and w.pid = any ($2) and coalesce(split_part(j.step, '/', 1), 'start') = $1 limit 1`,
      [phase, living],
    );
    return rows[0]?.pid;
  }

  /** What its process had not ended when it died. */
  async #countCut(pid: number): Promise<void> {
    this.kills++;
    const { rows } = await this.#host.pool.query<{ phase: string }>(
      `select coalesce(split_part(j.step, '/', 1), 'start') as phase
       from croft.job j join croft.worker w on w.id = j.worker_id where j.status = 'running' and w.pid = $1`,
      [pid],
    );
    for (const { phase } of rows) {
      const name = `in_${phase}`;
      this.killedIn[name] = (this.killedIn[name] ?? 0) + 1;
    }
  }

  sparedPhases(): string[] {
    const spared = PHASES.filter((phase) => this.killedIn[`in_${phase}`] === 0);
    return spared.map((phase) => `nobody was killed in '${phase}'`);
  }

  /** All tell the story of the first of their kind. */
  async judge(): Promise<string[]> {
    const { data, origin, checkout } = this.#host;
    const [results = ""] = resultsIn(data);
    const own = join(checkout, ".git");
    const models = new Map<boolean, RunStory>();
    const failures: string[] = [];
    for (const { id, name, branch, isLocal } of this.#runs) {
      const places = isLocal ? { home: own, target: own } : { home: results, target: origin };
      const story = await tellStory(this.#host, id, { name, branch, ...places });
      const model = models.get(isLocal) ?? story;
      models.set(isLocal, model);
      for (const part of Object.keys(model) as (keyof RunStory)[]) {
        if (isDeepStrictEqual(story[part], model[part])) continue;
        const [told, wanted] = [JSON.stringify(story[part]), JSON.stringify(model[part])];
        failures.push(`${name}: ${part}: ${told} instead of ${wanted}`);
      }
    }
    return failures;
  }
}
