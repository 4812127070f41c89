// A thousand open streams on one server: does each event reach each reader of its subject once, and how soon.
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { type Engine, loadConfig, openEngine } from "@croft/engine";
import { type RunningServer, startServer } from "../test/support/croft-process.ts";
import { silentLog } from "../test/support/silent-log.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { rssMb } from "./queue/measure-idle.ts";
import { isQuick } from "./quick.ts";
import { type Scratch, withScratch } from "./scratch.ts";
import { endlessJob, makeSubjects, type Subject } from "./sse/make-subjects.ts";
import { openReader, openSleeper, type StreamReader } from "./sse/open-reader.ts";
import { percentile, printTable } from "./table.ts";
import { judgeTargets } from "./targets.ts";

const TOKENS = 50;
const READERS_EACH = 16;
/** They ask for a stream and never read it. */
const SLEEPERS_EACH = 4;
const STREAMS = (READERS_EACH + SLEEPERS_EACH) * TOKENS;
const EVENTS_PER_S = 50;
const SECONDS = isQuick ? 6 : 60;
/** At once; each of them costs the server a look at its job. */
const OPENED_TOGETHER = 20;
const SETTLE_MS = 2000;
/** `job.queued` and `job.started`. */
const EVENTS_BEFORE = 2;

export async function benchSse(): Promise<object> {
  return await withScratch(async (scratch) => {
    const server = await startServer(join(scratch.path, "data"));
    scratch.atEnd(() => server.stop());
    const engine = await joinServer(server.data);
    scratch.atEnd(() => engine.close());
    const subjects = await makeSubjects(engine, scratch, TOKENS);
    await delay(SETTLE_MS);
    const rssBeforeMb = rssMb(server.pid);
    let rssMaxMb = rssBeforeMb;
    const sampling = setInterval(() => {
      rssMaxMb = Math.max(rssMaxMb, rssMb(server.pid));
    }, 200);
    scratch.atEnd(async () => clearInterval(sampling));
    const ended: string[] = [];
    const streams = await openStreams(server.url, subjects, scratch, (why) => ended.push(why));
    await waitUntil("all streams to be open", async () => (await countStreams(server)) === STREAMS);
    await delay(SETTLE_MS);
    const rounds = await sendEvents(subjects);
    await waitUntil("the last events", () => isAllSeen(streams, rounds), 10_000).catch(() => {}); // then some are missed
    if (ended.length > 0) throw new Error(`${ended.length} streams ended: ${ended[0]}`);
    const open = await countStreams(server);
    return report(streams, rounds, { open, rssBeforeMb, rssMaxMb });
  });
}

async function joinServer(data: string): Promise<Engine> {
  const { config } = await loadConfig({
    flags: { data },
    env: {},
    directory: data,
    uid: process.getuid?.(),
    home: data,
  });
  const options = { log: silentLog, version: "bench", types: [endlessJob] };
  return await openEngine({ config, role: "worker", ...options });
}

async function openStreams(
  server: string,
  subjects: readonly Subject[],
  scratch: Scratch,
  onEnd: (reason: string) => void,
): Promise<StreamReader[]> {
  const readers: StreamReader[] = [];
  const open = async ({ jobId, token }: Subject, isReader: boolean) => {
    const address = { url: `${server}/api/jobs/${jobId}/events`, token };
    if (isReader) {
      const reader = await openReader(address, onEnd);
      scratch.atEnd(async () => reader.close());
      readers.push(reader);
    } else {
      const socket = await openSleeper(address);
      scratch.atEnd(async () => socket.destroy());
    }
  };
  const wanted = subjects.flatMap((subject) =>
    Array.from({ length: READERS_EACH + SLEEPERS_EACH }, (_, number) => ({
      subject,
      isReader: number >= SLEEPERS_EACH,
    })),
  );
  while (wanted.length > 0) {
    const some = wanted.splice(0, OPENED_TOGETHER);
    await Promise.all(some.map(({ subject, isReader }) => open(subject, isReader)));
  }
  return readers;
}

/** One subject after the other, at an even pace. Returns how many events each got. */
async function sendEvents(subjects: readonly Subject[]): Promise<number> {
  const rounds = Math.ceil((EVENTS_PER_S * SECONDS) / subjects.length);
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [number, subject] of subjects.entries()) {
      const atMs = ((round * subjects.length + number) / EVENTS_PER_S) * 1000;
      await delay(Math.max(0, startedAt + atMs - performance.now()));
      sent.push(subject.report());
    }
  }
  await Promise.all(sent);
  return rounds;
}

function isAllSeen(streams: readonly StreamReader[], rounds: number): boolean {
  return streams.every(({ seen }) => seen.size >= EVENTS_BEFORE + rounds);
}

/** As the server itself counts them, those that nobody reads among them. */
async function countStreams({ url, token }: RunningServer): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`/metrics was answered ${answer.status}`);
  const [, count] = /^croft_event_streams (\d+)$/m.exec(await answer.text()) ?? [];
  return Number(count);
}

interface ServerState {
  /** Streams at the end. */
  readonly open: number;
  readonly rssBeforeMb: number;
  readonly rssMaxMb: number;
}

function report(streams: readonly StreamReader[], rounds: number, server: ServerState): object {
  const expected = EVENTS_BEFORE + rounds;
  let missed = 0;
  let repeated = 0;
  for (const { seen } of streams) {
    for (let seq = 1; seq <= expected; seq++) if (!seen.has(seq)) missed++;
    for (const times of seen.values()) repeated += times - 1;
  }
  const delaysMs = streams.flatMap(({ delaysMs }) => delaysMs);
  const figures = {
    streams: server.open,
    ...{ missed, repeated },
    p99_ms: round(percentile(delaysMs, 99)),
    rss_growth_mb: round(server.rssMaxMb - server.rssBeforeMb),
  };
  printTable(
    [
      "streams",
      "read",
      "events sent",
      "received",
      "p50",
      "p99",
      "max",
      "RSS before",
      "RSS at most",
    ],
    [
      [
        ...[server.open, streams.length, rounds * TOKENS, delaysMs.length].map(String),
        ...[50, 99, 100].map((percent) => `${percentile(delaysMs, percent).toFixed(1)} ms`),
        ...[server.rssBeforeMb, server.rssMaxMb].map((value) => `${value.toFixed(0)} MB`),
      ],
    ],
  );
  process.stdout.write("from just before an event is written until a client has it\n\n");
  judgeTargets([
    { name: "streams that are open at the end", measured: server.open, least: STREAMS, unit: "" },
    { name: "missed", measured: missed, most: 0, unit: "events" },
    { name: "repeated", measured: repeated, most: 0, unit: "events" },
    { name: "event → client, p99", measured: figures.p99_ms, most: 100, unit: "ms" },
    {
      name: "growth of the server's memory",
      measured: figures.rss_growth_mb,
      most: 100,
      unit: "MB",
    },
  ]);
  return { bench: "sse", ...figures };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
