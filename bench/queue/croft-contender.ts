// Croft by its real worker: 50 lanes of five owners with limits of 1 to 3, strict, fair, three events a job.
import { changeLane, defineJobType, type Engine, listLanes, startWorker } from "@croft/engine";
import { z } from "zod";
import { tidyDatabase } from "./bench-databases.ts";
import type { Contender } from "./contender.ts";

const LANES = 50;
const OWNERS = 5;
const LANE_LIMIT_MAX = 3;
const IN_FLIGHT = 2000;
const EVENTS_A_JOB = 3;

let onStart = () => {};

/** The engine has to know it before it opens. */
export const noopJob = defineJobType({
  name: "noop",
  input: z.strictObject({ n: z.int() }),
  run: async () => onStart(),
});

export async function openCroft(engine: Engine): Promise<Contender> {
  const { database, intake } = engine;
  let count = 0;
  const enqueue = async () => {
    const n = count++;
    const lane = n % LANES;
    const owner = `app:${lane % OWNERS}`;
    const job = { type: "noop", priority: "normal" as const, input: { n }, owner, key: `k${lane}` };
    await intake.submit(job);
  };
  const fill = async (jobs: number) => {
    for (let done = 0; done < jobs; done += IN_FLIGHT) {
      await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, jobs - done) }, enqueue));
    }
  };
  await fill(LANES);
  await limitLanes(engine);
  return {
    name: "croft",
    title: "Croft",
    note: "50 lanes with limits 1–3, strict and fair, three events a job, history kept",
    share: 1,
    enqueue,
    fill,
    work: async (slots, callback) => {
      onStart = callback;
      const config = { ...engine.config, worker: { slots } };
      const worker = await startWorker({ ...engine, config });
      return { close: () => worker.close(10_000) };
    },
    left: async () => {
      const { rows } = await database.pool.query<{ left: number }>(
        `select (running + (select coalesce(sum(queued), 0) from croft.lane))::integer as left from croft.queue`,
      );
      return rows[0]?.left ?? Number.NaN;
    },
    tidy: async () => {
      await requireOrder(engine);
      await tidyDatabase(database.target);
    },
    close: async () => {},
  };
}

async function limitLanes({ database }: Engine): Promise<void> {
  const { lanes } = await listLanes(database, { limit: LANES });
  if (lanes.length !== LANES) throw new Error(`${lanes.length} lanes instead of ${LANES}`);
  for (const [index, { id }] of lanes.entries()) {
    await changeLane(database, id, { limit: 1 + (index % LANE_LIMIT_MAX) });
  }
}

/** What was measured is what is promised: every job ended, told in three events, and nothing is left of it. */
async function requireOrder({ database: { pool } }: Engine): Promise<void> {
  const { rows } = await pool.query<{ jobs: string; done: string; events: string; wrong: string }>(`
    select count(*) as jobs, count(*) filter (where status = 'done' and attempt = 1) as done,
      (select count(*) from croft.event where type like 'job.%') as events,
      (select count(*) from croft.lane where running <> 0 or queued <> 0) as wrong
    from croft.job`);
  const { jobs, done, events, wrong } = rows[0] ?? {};
  if (jobs === done && Number(events) === Number(jobs) * EVENTS_A_JOB && wrong === "0") return;
  throw new Error(`after the drain: ${JSON.stringify(rows[0])}`);
}
