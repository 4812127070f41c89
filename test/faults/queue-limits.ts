// Four processes run jobs of many lanes at once, while more come in: no limit is ever exceeded, turns are fair, none is lost.
import { join } from "node:path";
import { changeLane, type Engine, loadConfig, openEngine } from "@croft/engine";
import { checkIdleQueue, checkQueue } from "../support/check-queue.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { silentLog } from "../support/silent-log.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { queueJobTypes, type RanFromTo } from "./queue-job-types.ts";
import { embeddedDatabaseUrl, startQueueWorker, stopQueueWorkers } from "./queue-processes.ts";
import { type RecordedLane, type RecordedTurn, replayStarts } from "./replay-starts.ts";

const WORKERS = 4;
const LANES = 50;
const WHOLE_LIMIT = 20;
/** By owner; the first has the usual one, which is the configuration's. */
const OWNER_LIMITS = [6, 2, 4, 9, 3];
const FLAGS = {
  "concurrency.global": String(WHOLE_LIMIT),
  "concurrency.perOwner": String(OWNER_LIMITS[0]),
  "worker.slots": "6",
};
const END_CEILING_MS = 300_000;

/** `count` jobs of 3 to 50 ms. */
export async function exceedLimits(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const engine = await openScene(data);
  try {
    const early = Math.ceil(count * 0.7);
    await submit(engine, random, early);
    const lanes = await setLimits(engine, random);
    const databaseUrl = embeddedDatabaseUrl(engine.database.pool.options.host ?? "");
    const plan = { databaseUrl, data, flags: FLAGS, isLoud: true };
    const workers = Array.from({ length: WORKERS }, () => startQueueWorker(plan));
    await Promise.all(workers.map(({ ready }) => ready));
    const failures: string[] = [];
    try {
      for (let done = early; done < count; done += 50) {
        await submit(engine, random, Math.min(50, count - done));
        failures.push(...(await checkQueue(engine.database.pool)));
      }
      await waitUntil("the end of all jobs", () => isAllDone(engine), END_CEILING_MS);
    } finally {
      failures.push(...(await stopQueueWorkers(workers)));
    }
    failures.push(...(await checkIdleQueue(engine.database.pool)));
    const figures = await judge(engine, lanes, count, failures);
    return { injected: count, figures: { workers: WORKERS, lanes: LANES, ...figures }, failures };
  } finally {
    await engine.close();
  }
}

async function openScene(data: string): Promise<Engine> {
  const sources = { env: {}, directory: data, uid: process.getuid?.(), home: data };
  const { config } = await loadConfig({ flags: { data, ...FLAGS }, ...sources });
  return await openEngine({ config, log: silentLog, version: "test", types: queueJobTypes });
}

/** All of one class: priority is a right to go first, and would hide an unfair turn. */
async function submit({ intake }: Engine, random: SeededRandom, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, () => {
    const lane = random.below(LANES);
    const owner = `app:${lane % OWNER_LIMITS.length}`;
    const input = { ms: 3 + random.below(48) };
    const key = lane < OWNER_LIMITS.length ? {} : { key: `lane-${lane}` };
    return { type: "pause", owner, priority: "normal" as const, input, ...key };
  });
  await Promise.all(jobs.map((job) => intake.submit(job)));
}

interface LimitedLane extends RecordedLane {
  readonly key: string;
}

async function setLimits(engine: Engine, random: SeededRandom): Promise<LimitedLane[]> {
  const { pool } = engine.database;
  for (const [number, limit] of OWNER_LIMITS.entries()) {
    if (number === 0) continue;
    await pool.query(
      "update croft.owner set max_running = $2, has_own_limit = true where id = $1",
      [`app:${number}`, limit],
    );
  }
  const { rows } = await pool.query<{ id: string; owner: string; key: string; queued: number }>(
    "select id, owner, key, queued from croft.lane order by owner, key",
  );
  const lanes: LimitedLane[] = [];
  for (const { id, owner, key, queued } of rows) {
    const limit = key === "" ? Number.MAX_SAFE_INTEGER : 1 + random.below(3);
    if (key !== "") await changeLane(engine.database, id, { limit });
    lanes.push({ id, owner, key, limit, queued });
  }
  return lanes;
}

async function isAllDone({ database: { pool } }: Engine): Promise<boolean> {
  const { rows } = await pool.query<{ left: boolean }>(
    "select exists (select from croft.job where status in ('queued', 'running')) as left",
  );
  return rows[0]?.left === false;
}

async function judge(
  { database: { pool } }: Engine,
  lanes: readonly LimitedLane[],
  count: number,
  failures: string[],
): Promise<Record<string, number>> {
  const { rows: jobs } = await pool.query<Ran>(
    "select status, attempt, owner, lane_id, result from croft.job",
  );
  const done = jobs.filter(({ status, attempt }) => status === "done" && attempt === 1);
  if (jobs.length !== count || done.length !== count) {
    failures.push(`${count} went in, ${jobs.length} are there, ${done.length} were done at once`);
  }
  const owners = new Map(OWNER_LIMITS.map((limit, number) => [`app:${number}`, limit]));
  failures.push(
    ...overlaps(
      done,
      () => "the whole",
      () => WHOLE_LIMIT,
    ),
    ...overlaps(
      done,
      ({ owner }) => owner,
      (owner) => owners.get(owner) ?? 0,
    ),
    ...overlaps(
      done,
      ({ lane_id }) => lane_id,
      (id) => lanes.find((lane) => lane.id === id)?.limit ?? 0,
    ),
  );
  const turns = await readTurns(pool);
  const replayed = replayStarts(lanes, { owners, whole: WHOLE_LIMIT }, turns);
  failures.push(...replayed.failures);
  return {
    turns: turns.length,
    processes: new Set(done.map(({ result }) => result.pid)).size,
    start_difference_max: replayed.differenceMax,
  };
}

interface Ran {
  readonly status: string;
  readonly attempt: number;
  readonly owner: string;
  readonly lane_id: string;
  readonly result: RanFromTo;
}

/** By the intervals that the handlers themselves recorded. */
function overlaps(
  jobs: readonly Ran[],
  groupOf: (job: Ran) => string,
  limitOf: (group: string) => number,
): string[] {
  const failures: string[] = [];
  for (const group of new Set(jobs.map(groupOf))) {
    const members = jobs.filter((job) => groupOf(job) === group);
    const edges = members.flatMap(({ result }) => [
      { at: BigInt(result.from_ns), change: 1 },
      { at: BigInt(result.to_ns), change: -1 },
    ]);
    edges.sort((a, b) => (a.at === b.at ? a.change - b.change : a.at < b.at ? -1 : 1));
    let running = 0;
    let most = 0;
    for (const { change } of edges) {
      running += change;
      most = Math.max(most, running);
    }
    if (most > limitOf(group)) failures.push(`${group} ran ${most} at once`);
  }
  return failures;
}

/** Turns are serialised by a lock that comes before their transaction's number: numbers are in order. */
async function readTurns(pool: Engine["database"]["pool"]): Promise<RecordedTurn[]> {
  const { rows } = await pool.query<RecordedTurn>(`
    select coalesce(array_agg(j.lane_id order by e.place) filter (where e.type <> 'job.started'), '{}') as ended,
      coalesce(array_agg(j.lane_id order by e.place) filter (where e.type = 'job.started'), '{}') as started
    from croft.event e join croft.job j on j.id = e.subject
    where e.type <> 'job.queued' group by e.xid order by e.xid`);
  return rows;
}
