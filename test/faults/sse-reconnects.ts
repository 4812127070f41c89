// Clients of event streams that lose their connection all the time, while four writers go on: each event once, in order.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { type SourceEvent, type TornSource, tornSource } from "../support/torn-source.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { embeddedDatabaseUrl, startQueueWorker, stopQueueWorkers } from "./queue-processes.ts";

const WRITERS = 4;
/** So many events of one job to a reconnect. */
const EVENTS_PER_RECONNECT = 20;
/** Some thirteen events on average, and a connection in ten is torn before it has told anything. */
const BYTES_MAX = 7000;
/** Writers that run away would have written everything before the clients have come back a tenth as often. */
const AHEAD_MAX = 200;
const CEILING_MS = 300_000;

/** `count` reconnects of each client at least, while events are written. */
export async function reconnectStreams(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const data = join(directory, "data");
  const server = await startServer(data);
  const databaseUrl = embeddedDatabaseUrl(join(data, "postgres/socket"));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: WRITERS + 2 });
  const worker = startQueueWorker({ databaseUrl, data, flags: { "worker.slots": "8" } });
  const sources: TornSource[] = [];
  const failures: string[] = [];
  const figures = { events: 0, all_events: 0, job_reconnects: 0, all_reconnects: 0 };
  try {
    await worker.ready;
    const jobs: RunningJob[] = [];
    for (let number = 0; number <= WRITERS; number++) jobs.push(await startJob(server, pool));
    const [subject = raise("no job"), ...others] = jobs;
    const { url, token } = server;
    const follow = async (path: string, number: number) => {
      const torn = { token, seed: seed + number, bytesMax: BYTES_MAX };
      const source = await tornSource({ url, path }, torn);
      sources.push(source);
      return source;
    };
    const one = await follow(`/api/jobs/${subject.id}/events`, 1);
    const all = await follow("/api/events", 2);
    await waitUntil("a beginning", () => all.seen.length > 0);
    const heard = () => Math.min(...sources.map(({ seen }) => seen.length));
    await write(pool, { subject, others, seed, count: count * EVENTS_PER_RECONNECT, heard });
    for (const { id } of jobs) await ask(server, `/api/jobs/${id}/cancel`, {});
    await waitUntil("the end of all jobs", () => isQuiet(pool), CEILING_MS);
    await waitUntil("the end of the job's stream", () => one.isOver(), CEILING_MS);
    await waitUntil("the last of all events", () => isLast(pool, all.seen.at(-1)), CEILING_MS);
    figures.job_reconnects = one.reconnects();
    figures.all_reconnects = all.reconnects();
    figures.events = one.seen.length;
    figures.all_events = told(all.seen).length;
    for (const [which, { reconnects }] of Object.entries({ one, all })) {
      if (reconnects() < count) failures.push(`${which} came back only ${reconnects()} times`);
    }
    failures.push(...(await compare(pool, subject, one.seen, all.seen)));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    for (const source of sources) await source.close();
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

interface Writing {
  /** Everybody reports of this one. */
  readonly subject: RunningJob;
  /** One for each writer. */
  readonly others: readonly RunningJob[];
  readonly seed: number;
  /** So many events of the subject. */
  readonly count: number;
  /** How far the clients are. */
  readonly heard: () => number;
}

/** Transactions that are open at the same time and commit in another order than they began. */
async function write(
  pool: pg.Pool,
  { subject, others, seed, count, heard }: Writing,
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
          await waitUntil("the clients", () => count - left - heard() < AHEAD_MAX, CEILING_MS);
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
  const { rows } = await pool.query<{ id: string }>(
    `${PLACES} order by event.xid desc, event.place desc limit 1`,
  );
  return rows[0]?.id === event?.id;
}

const PLACES =
  "select concat_ws('-', f.era, event.xid, event.place) as id from croft.event, croft.event_floor f";

/** Without what is said of the connection. `reset` would say that some are lost: it stays, and differs. */
function told(seen: readonly SourceEvent[]): SourceEvent[] {
  return seen.filter(({ type }) => type !== "start" && type !== "delayed");
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
  const places = await pool.query<{ id: string }>(`${PLACES} order by event.xid, event.place`);
  // From where it was told to begin, though its connection may have been torn before anything came.
  const from = places.rows.findIndex((row) => row.id === all[0]?.id) + 1;
  return [
    ...(all[0]?.type === "start" ? [] : ["the stream of all has no start"]),
    ...firstDifference("the job's stream", numbers.rows, one),
    ...firstDifference("the stream of all", places.rows.slice(from), told(all)),
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
