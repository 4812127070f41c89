// Runs on a real database, with several processes that go on with them and people who cancel, retry and approve meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import {
  cancelRun,
  decideApproval,
  defineJobType,
  type Engine,
  EngineError,
  JobFailure,
  type JobType,
  loadConfig,
  openEngine,
  RunAdvancer,
  retryRun,
  startRun,
  startWorker,
} from "@croft/engine";
import { parsePipeline } from "@croft/pipeline";
import { z } from "zod";
import { checkIdleQueue } from "../support/check-queue.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { silentLog } from "../support/silent-log.ts";
import { waitUntil } from "../support/wait-until.ts";

export interface Contention {
  readonly seed: number;
  /** Runs, each with a seed of its own. */
  readonly count: number;
  readonly directory: string;
  /** An empty database; without it, one is started in the directory. */
  readonly databaseUrl?: string | undefined;
}

const AT_ONCE = 20;
const ADVANCERS = 3;
const LANES = 5;
const END_CEILING_MS = 120_000;
const ALL = { owner: undefined };
const COMMIT = "a".repeat(40);

export async function contendForRuns(
  options: Contention,
): Promise<{ readonly failures: string[]; readonly figures: Readonly<Record<string, number>> }> {
  const { seed, count, directory, databaseUrl } = options;
  const engine = await openScene(directory, databaseUrl, seededRandom(seed));
  const worker = await startWorker(engine);
  const advancers = Array.from({ length: ADVANCERS }, () => RunAdvancer.start(engine));
  const failures: string[] = [];
  let figures: Record<string, number> = {};
  try {
    for (let first = 0; first < count && failures.length === 0; first += AT_ONCE) {
      const seeds = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, n) => first + n);
      await Promise.all(seeds.map((number) => contend(engine, seededRandom(seed + number))));
      failures.push(...(await judge(engine)));
    }
    figures = await countWhatHappened(engine);
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    for (const advancer of advancers) await advancer.close();
    await worker.close(0);
    await engine.close();
  }
  return { failures, figures };
}

async function openScene(
  directory: string,
  databaseUrl: string | undefined,
  random: SeededRandom,
): Promise<Engine> {
  const { config } = await loadConfig({
    flags: { data: directory, "worker.slots": "30", "concurrency.perOwner": "1000" },
    env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
    ...{ directory, uid: process.getuid?.(), home: directory },
  });
  const types = [startType, stepType(random)];
  return await openEngine({ config, log: silentLog, version: "test", types });
}

const startType: JobType = defineJobType({
  ...{ name: "run", input: z.strictObject({ run_id: z.uuid() }), holdsLane: true, isOfRuns: true },
  run: async () => ({ commit: COMMIT, uses: {} }),
});

/** Takes a moment, and fails now and then. */
function stepType(random: SeededRandom): JobType {
  return defineJobType({
    ...{ name: "step", isOfRuns: true },
    input: z.strictObject({ run_id: z.uuid(), step: z.string(), item: z.string() }),
    run: async ({ signal }) => {
      await delay(random.below(8), undefined, { signal });
      if (random.below(10) === 0) throw new JobFailure("command", "failed", "it failed");
      return { commit: COMMIT, base: COMMIT };
    },
  });
}

function textOf(random: SeededRandom): string {
  const lines = ["  first: { run: x }"];
  const names = ["first"];
  for (let index = 0; index < 2 + random.below(4); index++) {
    const needs = names.filter(() => random.below(3) === 0);
    const what = ["run: x", "run: x, matrix: { n: [1, 2, 3], max-parallel: 2 }", "approval: {}"];
    const kind = what[random.below(8) === 0 ? 2 : random.below(2)];
    const more = random.below(4) === 0 ? ", continue-on-error: true" : "";
    lines.push(`  s${index}: { needs: [${needs}], ${kind}${more} }`);
    names.push(`s${index}`);
  }
  const key = random.below(2) === 0 ? "" : `concurrency: { key: lane-${random.below(LANES)} }\n`;
  return `repository: https://example.com/a.git\n${key}steps:\n${lines.join("\n")}\n`;
}

/** One run, and several who interfere at their own moments; when it has ended, some want it once more. */
async function contend(engine: Engine, random: SeededRandom): Promise<void> {
  const text = textOf(random);
  const id = await startRun(engine, {
    ...{ owner: "local", text, inputs: {}, priority: "normal", startedBy: "test" },
  });
  const perhaps = async (times: number, act: () => Promise<void>) => {
    await Promise.all(
      Array.from({ length: random.below(times + 1) }, async () => {
        await delay(random.below(150));
        await ignoringTooLate(act());
      }),
    );
  };
  const again = () =>
    retryRun(engine, ALL, id, random.below(2) === 0 ? undefined : `s${random.below(2)}`);
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      perhaps(round, again),
      random.below(3) === 0 ? perhaps(2, () => cancelRun(engine, ALL, id)) : undefined,
      waitUntil(`the end of run ${id}`, () => answer(engine, id, random), END_CEILING_MS),
    ]);
  }
  await waitUntil(`the end of run ${id}`, () => answer(engine, id, random), END_CEILING_MS);
}

/** Decides what is asked, mostly well; true when the run has ended. */
async function answer(engine: Engine, id: string, random: SeededRandom): Promise<boolean> {
  const { rows } = await engine.database.pool.query<{ is_over: boolean; asked: string[] }>(
    `select finished_at is not null as is_over,
       array(select step from croft.run_step s where s.run_id = r.id and s.status = 'waiting') as asked
     from croft.run r where id = $1`,
    [id],
  );
  for (const step of rows[0]?.asked ?? []) {
    const decision = { step, by: "test", isApproved: random.below(4) > 0 };
    await ignoringTooLate(decideApproval(engine, ALL, id, decision));
  }
  return rows[0]?.is_over === true;
}

async function countWhatHappened({ database: { pool } }: Engine): Promise<Record<string, number>> {
  const { rows } = await pool.query<Record<string, number>>(
    `select count(*) filter (where status = 'done')::integer as done,
       count(*) filter (where status = 'failed')::integer as failed,
       count(*) filter (where status = 'cancelled')::integer as cancelled,
       sum(attempt - 1)::integer as retries,
       (select count(*)::integer from croft.run_step where decided_by is not null) as decisions
     from croft.run`,
  );
  return rows[0] ?? {};
}

/** Others were quicker, and that is told. */
async function ignoringTooLate(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isTold = error instanceof EngineError;
    if (!isTold || !["job-ended", "job-not-ended", "not-found"].includes(error.code)) throw error;
  }
}

async function judge({ database: { pool } }: Engine): Promise<string[]> {
  const look = async () => {
    const { rows } = await pool.query<{ difference: string }>(WRONG);
    const told = rows.map(({ difference }) => difference);
    return [...told, ...(await ranInVain(pool)), ...(await checkIdleQueue(pool))];
  };
  // Notices of what has just ended may still be on their way.
  await waitUntil("nothing to be due", async () => (await look()).length === 0, 10_000).catch(
    () => {}, // what it is, is told next
  );
  return await look();
}

/** Steps that ran although one that they need had not ended well. */
async function ranInVain(pool: Engine["database"]["pool"]): Promise<string[]> {
  const { rows } = await pool.query<{ text: string; steps: Record<string, [string, boolean]> }>(
    `select r.text, jsonb_object_agg(s.step, jsonb_build_array(s.status, s.job_id is not null or s.is_group)) as steps
     from croft.run r join croft.run_step s on s.run_id = r.id and s.item = '' group by r.id`,
  );
  return rows.flatMap(({ text, steps }) => {
    const all = parsePipeline(text).pipeline?.steps ?? [];
    const isGood = (id: string) => {
      const isTolerated = all.find((step) => step.id === id)?.continueOnError === true;
      return steps[id]?.[0] === "done" || (isTolerated && steps[id]?.[0] === "failed");
    };
    const ran = all.filter(({ id }) => steps[id]?.[1] === true);
    const vain = ran.filter(({ needs }) => !needs.every(isGood));
    return vain.map(({ id }) => `step '${id}' ran in vain: ${JSON.stringify(steps)}`);
  });
}

const WRONG = `
  select format('run %s is %s', id, status) as difference from croft.run where finished_at is null
  union all
  select format('run %s is due', run_id) from croft.run_due
  union all
  select format('run %s holds a lane', run_id) from croft.lane_hold
  union all
  select format('step %s/%s of %s has not ended: %s', step, item, run_id, status) from croft.run_step
    where status not in ('done', 'failed', 'skipped', 'cancelled')
  union all
  select format('step %s/%s of %s is %s, its job %s', s.step, s.item, s.run_id, s.status, j.status)
    from croft.run_step s join croft.job j on j.id = s.job_id
    where s.status::text <> j.status::text
  union all
  select format('job %s of run %s belongs to no step and was not ended', j.id, j.run_id) from croft.job j
    where j.run_id is not null and j.finished_at is null
  union all
  select format('step %s of run %s had two jobs at once: %s and %s', a.step, a.run_id, a.id, b.id)
    from croft.job a join croft.job b on b.run_id = a.run_id and b.step = a.step and a.id < b.id
    where a.type = 'step' and b.created_at < a.finished_at
  union all
  select format('events of run %s have gaps: %s of %s', r.id, count(e.seq), r.seq) from croft.run r
    left join croft.event e on e.subject = r.id group by r.id having count(e.seq) <> r.seq
  union all
  select format('run %s is %s although step %s is %s', r.id, r.status, s.step, s.status)
    from croft.run r join croft.run_step s on s.run_id = r.id
    where r.status = 'done' and s.item = '' and s.status = 'cancelled'
  limit 20`;
