// The queue under everything that can be done to it at once: counts fit, nothing runs twice, in the end nothing is left.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loadConfig, openEngine } from "@croft/engine";
import type pg from "pg";
import { checkIdleQueue, checkQueue } from "../support/check-queue.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { silentLog } from "../support/silent-log.ts";
import {
  connectTo,
  enqueue,
  queueJob,
  registerWorker,
  resultOf,
  type TurnJob,
  type TurnResult,
  takeTurn,
} from "../support/turn-scene.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

const OWNERS = ["local", "app:a", "app:b", "installation:1"];
const KEYS = ["", "", "k1", "k2", "k3", "k4", "k5"];
const TYPES = ["noop", "hold", "x"];
const OUTCOMES = [
  ...["done", "done", "done", "held", "failed", "failed", "cancelled", "drained", "lost"],
];
const CLASSES = ["transient", "command", "invalid"];
/** PostgreSQL ended one of two that waited for each other: Croft tries again. Twice the same key in one call: it calls again. */
const EXPECTED = ["40P01", "21000"];
const NO_LIMIT = 2 ** 31 - 1;

interface Model {
  readonly random: SeededRandom;
  readonly count: number;
  readonly connect: () => Promise<pg.Client>;
  readonly failures: Set<string>;
  readonly submitted: string[];
  /** Who thinks that they run it. */
  readonly running: Map<string, string>;
  claims: number;
  deadlocks: number;
}

/** `count` claims by three workers, one of which takes only some types. */
export async function playQueue({ seed, count, directory }: FaultOptions): Promise<FaultResult> {
  const data = join(directory, "data");
  const sources = { env: {}, directory, uid: process.getuid?.(), home: directory };
  const { config } = await loadConfig({ flags: { data }, ...sources });
  const engine = await openEngine({ config, log: silentLog, version: "test" });
  const clients: pg.Client[] = [];
  const model: Model = {
    ...{ random: seededRandom(seed), count, failures: new Set(), submitted: [] },
    ...{ running: new Map(), claims: 0, deadlocks: 0 },
    connect: async () => {
      const client = await connectTo(engine.database.target);
      clients.push(client);
      return client;
    },
  };
  try {
    await Promise.all([
      ...[work(model, TYPES), work(model, TYPES), work(model, TYPES.slice(0, 2))],
      ...[submit(model), submit(model), cancel(model), administer(model), look(model)],
    ]);
    await finish(model);
    for (const each of await checkIdleQueue(engine.database.pool)) model.failures.add(each);
    const { claims, submitted, deadlocks } = model;
    const figures = { jobs: submitted.length, deadlocks };
    return { injected: claims, figures, failures: [...model.failures].slice(0, 50) };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await engine.close();
  }
}

function pick<T>({ random }: Model, list: readonly T[]): T {
  return list[random.below(list.length)] as T;
}

function isOver({ claims, count, failures }: Model): boolean {
  return claims >= count || failures.size > 0;
}

/** False when it was ended by another that waited for it. */
async function attempt(model: Model, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (!EXPECTED.includes(code)) model.failures.add(`${code} ${message}`);
    if (code === "40P01") model.deadlocks++;
    return false;
  }
}

async function submit(model: Model): Promise<void> {
  const { random } = model;
  const client = await model.connect();
  while (!isOver(model)) {
    const jobs = Array.from({ length: 1 + random.below(4) }, () =>
      queueJob({
        ...{ owner: pick(model, OWNERS), key: pick(model, KEYS), type: pick(model, TYPES) },
        class: random.below(3),
        ...(random.below(5) === 0 ? { run_at: new Date(Date.now() + random.below(400)) } : {}),
        ...(random.below(5) === 0 ? { dedupe: `d${random.below(4)}` } : {}),
        ...(random.below(6) === 0 ? { idempotency_key: `i${random.below(50)}`, digest: "00" } : {}),
        ...(random.below(4) === 0 ? { attempts: 1 + random.below(3) } : {}),
      }),
    );
    await attempt(model, async () => {
      for (const { job_id, outcome } of await enqueue(client, jobs)) {
        if (outcome === "new") model.submitted.push(job_id);
      }
    });
    if (random.below(3) === 0) await delay(random.below(20));
  }
}

async function work(model: Model, types: readonly string[]): Promise<void> {
  const { random } = model;
  const [client, beside] = [await model.connect(), await model.connect()];
  let worker = { id: await registerWorker(client, types), types };
  let own: TurnJob[] = [];
  while (!isOver(model)) {
    const results = endSome(model, own);
    const reporting = report(model, beside, worker.id, pick(model, [...results, ...own]));
    const left = own.filter(({ id }) => !results.some((result) => result.id === id));
    for (const { id } of results) model.running.delete(id);
    const isTold = await attempt(model, async () => {
      const { claimed, refused } = await takeTurn(client, worker, results, random.below(6));
      for (const id of refused) model.failures.add(`a result of ${id} was refused`);
      for (const { id } of claimed) {
        model.claims++;
        if (model.running.has(id)) model.failures.add(`${id} runs twice at once`);
        model.running.set(id, worker.id);
      }
      own = [...left, ...claimed];
    });
    if (!isTold) for (const { id } of results) model.running.set(id, worker.id);
    await reporting;
    if (random.below(60) === 0) {
      if (await end(model, client, worker.id, own)) own = [];
      worker = { id: await registerWorker(client, types), types };
      own = [];
    }
    if (random.below(2) === 0) await delay(random.below(15));
  }
  await end(model, client, worker.id, own);
}

function endSome(model: Model, own: readonly TurnJob[]): TurnResult[] {
  const { random } = model;
  const ending = own.filter(() => random.below(3) === 0);
  return ending.map((job) =>
    resultOf(job, pick(model, OUTCOMES), {
      ...{ class: pick(model, CLASSES), delay_ms: random.below(200), max_lost: 3 },
      error: { code: "x", class: "transient", message: "m" },
    }),
  );
}

/** Of a job that may be ending at this very moment. */
async function report(
  model: Model,
  client: pg.Client,
  worker: string,
  job: Omit<TurnJob, "key"> | undefined,
): Promise<void> {
  if (job === undefined) return;
  const { id, attempt: number } = job;
  await attempt(model, async () => {
    const progress = JSON.stringify({ fraction: 0.5, note: null });
    await client.query("select croft.report_progress($1, $2, $3, $4)", [
      ...[id, number, worker, progress],
    ]);
    const said = JSON.stringify([{ stream: "stdout", text: "x" }]);
    await client.query("select croft.append_log($1, $2, $3, null, $4)", [id, number, worker, said]);
  });
}

/** However often it takes: nobody else would. */
async function end(
  model: Model,
  client: pg.Client,
  worker: string,
  own: readonly TurnJob[],
): Promise<boolean> {
  for (const { id } of own) model.running.delete(id);
  const how = pick(model, ["lost", "drained"]);
  const ending = () => client.query("select croft.end_worker($1, $2, 'r', 3)", [worker, how]);
  for (let nth = 0; nth < 10; nth++) if (await attempt(model, ending)) return true;
  model.failures.add("a worker could not be ended");
  return false;
}

async function cancel(model: Model): Promise<void> {
  const { random, submitted } = model;
  const client = await model.connect();
  while (!isOver(model)) {
    const some = Array.from({ length: 1 + random.below(5) }, () =>
      submitted.at(-1 - random.below(60)),
    );
    const ids = some.filter((id) => id !== undefined);
    await attempt(model, () => client.query("select croft.cancel($1)", [ids]));
    await delay(random.below(30));
  }
}

async function administer(model: Model): Promise<void> {
  const { random } = model;
  const client = await model.connect();
  const deeds: (() => Promise<unknown>)[] = [
    () =>
      client.query("select croft.change_lane(croft.lane_id($1, $2), $3, $4, $5)", [
        ...[pick(model, OWNERS), pick(model, KEYS), pick(model, [null, 1, 2, 4])],
        ...[random.below(2) === 0, pick(model, [null, true, false, false])],
      ]),
    () =>
      client.query("select croft.set_limits($1, $2, $3)", [
        ...[pick(model, [NO_LIMIT, 5, 9]), pick(model, [3, 5, 10]), pick(model, [1, 2, 3])],
      ]),
    () => client.query("select croft.admit_due($1)", [1 + random.below(20)]),
    () => client.query("select croft.admit_due(200)"),
    async () => {
      await client.query(
        `with idle as (select id from croft.lane where key <> '' and running = 0 and queued = 0 order by id for update)
         update croft.lane set used_at = used_at - interval '2 hours' where id in (select id from idle)`,
      );
      await client.query("select croft.forget_idle()");
    },
  ];
  while (!isOver(model)) {
    await attempt(model, pick(model, deeds));
    await delay(random.below(25));
  }
}

async function look(model: Model): Promise<void> {
  const client = await model.connect();
  while (!isOver(model)) {
    await attempt(model, async () => {
      for (const each of await checkQueue(client)) model.failures.add(each);
    });
    await delay(100);
  }
}

/** With nothing in the way, all that waits can run. */
async function finish(model: Model): Promise<void> {
  const client = await model.connect();
  await client.query("select croft.change_lane(id, null, true, false) from croft.lane");
  await client.query("select croft.set_limits($1, 10, 1)", [NO_LIMIT]);
  await client.query(
    "update croft.job set run_at = croft.now() where status = 'queued' and rank is null",
  );
  const worker = { id: await registerWorker(client, TYPES), types: TYPES };
  let results: TurnResult[] = [];
  for (let idle = 0; idle < 3; idle = results.length === 0 ? idle + 1 : 0) {
    await client.query("select croft.admit_due(200)");
    const { claimed } = await takeTurn(client, worker, results, 20);
    results = claimed.map((job) => resultOf(job));
  }
}
