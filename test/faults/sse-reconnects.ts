// Clients of event streams that lose their connection all the time, while four writers go on: each event once, in order.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { followEventSource, type SourceEvent } from "../support/event-source.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { embeddedDatabaseUrl, startQueueWorker, stopQueueWorkers } from "./queue-processes.ts";

const WRITERS = 4;
/** So many events of one job to a reconnect. */
const EVENTS_PER_RECONNECT = 20;
const CEILING_MS = 300_000;

/** `count` reconnects of each client. */
export async function reconnectStreams(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const data = join(directory, "data");
  const server = await startServer(data);
  const databaseUrl = embeddedDatabaseUrl(join(data, "postgres/socket"));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: WRITERS + 2 });
  const worker = startQueueWorker({ databaseUrl, data, flags: { "worker.slots": "8" } });
  const failures: string[] = [];
  const figures = { events: 0, job_reconnects: 0, all_reconnects: 0 };
  try {
    await worker.ready;
    const jobs: RunningJob[] = [];
    for (let number = 0; number <= WRITERS; number++) jobs.push(await startJob(server, pool));
    const [subject = raise("no job"), ...others] = jobs;
    const ending = new AbortController();
    const one = follow(server, `/api/jobs/${subject.id}/events`, seed, ending.signal);
    const all = follow(server, "/api/events", seed + 1, ending.signal);
    await write(pool, subject, others, { seed, count: count * EVENTS_PER_RECONNECT });
    for (const { id } of jobs) await ask(server, `/api/jobs/${id}/cancel`, {});
    await waitUntil("the end of all jobs", () => isQuiet(pool), CEILING_MS);
    await waitUntil("the end of the job", () => one.last()?.type === "job.cancelled", CEILING_MS);
    await waitUntil("the last of all events", () => isLast(pool, all.last()), CEILING_MS);
    ending.abort();
    figures.job_reconnects = await one.ended;
    figures.all_reconnects = await all.ended;
    figures.events = one.seen.length;
    failures.push(...(await compare(pool, subject, one.seen, all.seen)));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    await pool.end();
    failures.push(...(await stopQueueWorkers([worker])));
    const code = await server.stop();
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.output()}`);
  }
  return { injected: figures.job_reconnects + figures.all_reconnects, figures, failures };
}

interface RunningJob {
  readonly id: string;
  readonly worker: string;
}

async function startJob(server: RunningServer, pool: pg.Pool): Promise<RunningJob> {
  const { id } = await ask(server, "/api/jobs", { type: "pause", input: { ms: 600_000 } });
  const worker = await waitUntil("the start of a job", async () => {
    const { rows } = await pool.query("select worker_id from croft.job where id = $1", [id]);
    return (rows[0]?.worker_id as string | null) ?? undefined;
  });
  return { id, worker };
}

async function ask(server: RunningServer, path: string, body: object): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(server.url + path, request);
  if (response.status !== 202) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}

/** Loses its connection after so many events, now more, now fewer. */
function follow(server: RunningServer, path: string, seed: number, signal: AbortSignal) {
  const random = seededRandom(seed);
  const seen: SourceEvent[] = [];
  let left = random.below(2 * EVENTS_PER_RECONNECT);
  const ended = followEventSource(server.url + path, {
    headers: { authorization: `Bearer ${server.token}` },
    signal,
    reconnectMs: 5,
    onEvent: (event) => {
      if (event.type === "delayed") return "go on"; // not one of them, but a word about them
      seen.push(event);
      if (event.type === "job.cancelled" && path.includes("/jobs/")) return "end";
      if (left-- > 0) return "go on";
      left = random.below(2 * EVENTS_PER_RECONNECT);
      return "cut";
    },
  });
  let error: Error | undefined;
  ended.catch((reason: Error) => {
    error = reason;
  });
  const last = () => {
    if (error !== undefined) throw error;
    return seen.at(-1);
  };
  return { seen, ended, last };
}

/** Transactions that are open at the same time and commit in another order than they began. */
async function write(
  pool: pg.Pool,
  subject: RunningJob,
  others: readonly RunningJob[],
  { seed, count }: { seed: number; count: number },
): Promise<void> {
  let left = count;
  await Promise.all(
    others.map(async (own, number) => {
      const random = seededRandom(seed + 10 + number);
      const client = await pool.connect();
      const report = async ({ id, worker }: RunningJob) =>
        await client.query("select croft.report_progress($1, 1, $2, $3)", [
          ...[id, worker],
          JSON.stringify({ fraction: null, note: String(left) }),
        ]);
      try {
        while (left > 0) {
          const isLong = random.below(50) === 0;
          if (isLong) {
            await client.query("begin");
            await report(own);
            await delay(random.below(20));
          }
          left--;
          await report(subject);
          if (isLong) await client.query("commit");
        }
      } finally {
        client.release();
      }
    }),
  );
}

/** Nobody has anything to say any more. */
async function isQuiet(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query("select from croft.job where finished_at is null limit 1");
  return rowCount === 0;
}

async function isLast(pool: pg.Pool, event: SourceEvent | undefined): Promise<boolean> {
  const { rows } = await pool.query(
    "select xid::text || '-' || place as id from croft.event order by xid desc, place desc limit 1",
  );
  return rows[0]?.id === event?.id;
}

async function compare(
  pool: pg.Pool,
  { id }: RunningJob,
  one: readonly SourceEvent[],
  all: readonly SourceEvent[],
): Promise<string[]> {
  const numbers = await pool.query<{ id: string }>(
    "select seq::text as id from croft.event where subject = $1 order by seq",
    [id],
  );
  const places = await pool.query<{ id: string }>(
    "select xid::text || '-' || place as id from croft.event order by xid, place",
  );
  const from = places.rows.findIndex((row) => row.id === all[0]?.id);
  return [
    ...firstDifference("the job's stream", numbers.rows, one),
    ...firstDifference("the stream of all", places.rows.slice(Math.max(0, from)), all),
  ];
}

function firstDifference(
  what: string,
  there: readonly { readonly id: string }[],
  seen: readonly SourceEvent[],
): string[] {
  const length = Math.max(there.length, seen.length);
  for (let at = 0; at < length; at++) {
    if (there[at]?.id === seen[at]?.id) continue;
    const found = `${what} differs at ${at} of ${there.length}`;
    return [`${found}: ${there[at]?.id} is there, ${seen[at]?.id} was seen, of ${seen.length}`];
  }
  return [];
}

function raise(message: string): never {
  throw new Error(message);
}
