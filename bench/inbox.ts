// Events of GitHub: how soon each is acknowledged at a steady rate, beside the least that a durable webhook does.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { GithubState } from "@croft/contract";
import { embeddedDatabaseUrl } from "../test/faults/queue-processes.ts";
import { callApi } from "../test/support/call-api.ts";
import { type RunningServer, startServer } from "../test/support/croft-process.ts";
import { exampleEvents } from "../test/support/example-events.ts";
import { sendEvent, signedEvent, WEBHOOK_SECRET } from "../test/support/signed-event.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { isQuick } from "./quick.ts";
import { type Scratch, withScratch } from "./scratch.ts";
import { percentile, printTable } from "./table.ts";
import { judgeTargets } from "./targets.ts";

const EVENTS_PER_S = 100;
const ROUNDS = isQuick ? 1 : 3;
const ROUND_SECONDS = isQuick ? 5 : 10;
const INSTALLATIONS = 20;
const SETTLE_MS = 3000;
const HANDLED_CEILING_MS = 60_000;

export async function benchInbox(): Promise<object> {
  return await withScratch(async (scratch) => {
    const data = join(scratch.path, "data");
    const env = { CROFT_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET };
    const server = await startServer(data, { env });
    scratch.atEnd(() => server.stop());
    const bareUrl = await startBare(scratch, embeddedDatabaseUrl(join(data, "postgres/socket")));
    for (const url of [server.url, bareUrl]) await sendSteadily(url, 1); // connections, plans, compiled code
    await delay(SETTLE_MS);
    const own: number[] = [];
    const bare: number[] = [];
    let handledMs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      own.push(...(await sendSteadily(server.url, ROUND_SECONDS)));
      handledMs = Math.max(handledMs, await untilHandled(server));
      bare.push(...(await sendSteadily(bareUrl, ROUND_SECONDS)));
    }
    return report({ own, bare, handledMs });
  });
}

/** Time from each request to its answer. */
async function sendSteadily(url: string, seconds: number): Promise<number[]> {
  const examples = exampleEvents();
  const send = async (nth: number) => {
    const { event, payload } = examples[nth % examples.length] ?? { event: "ping", payload: {} };
    const installation = { id: 1 + (nth % INSTALLATIONS) };
    const signed = signedEvent({
      ...{ event, payload: { ...payload, installation } },
      deliveryId: randomUUID(),
    });
    const begunAt = performance.now();
    const { status } = await sendEvent(url, signed);
    if (status !== 202) throw new Error(`an event was answered ${status}`);
    return performance.now() - begunAt;
  };
  const begunAt = performance.now();
  const answers: Promise<number>[] = [];
  for (let nth = 0; nth < EVENTS_PER_S * seconds; nth++) {
    await delay(Math.max(0, begunAt + (nth * 1000) / EVENTS_PER_S - performance.now()));
    answers.push(send(nth));
  }
  return await Promise.all(answers);
}

/** How long the last of them waits after its answer. */
async function untilHandled(server: RunningServer): Promise<number> {
  const begunAt = performance.now();
  const isOver = async () =>
    (await callApi<GithubState>(server, "GET", "/api/github")).pending === 0;
  await waitUntil("the end of all events", isOver, HANDLED_CEILING_MS);
  return performance.now() - begunAt;
}

async function startBare(scratch: Scratch, databaseUrl: string): Promise<string> {
  const file = fileURLToPath(new URL("./inbox/bare-webhook.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, databaseUrl], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  scratch.atEnd(async () => {
    child.stdin.end();
    await ended;
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return line.toString().trim();
}

interface Measured {
  readonly own: readonly number[];
  readonly bare: readonly number[];
  readonly handledMs: number;
}

function report({ own, bare, handledMs }: Measured): object {
  const two = (value: number) => Math.round(value * 100) / 100;
  const row = (name: string, ms: readonly number[]) => [
    ...[name, String(ms.length)],
    ...[50, 90, 99, 100].map((percent) => `${percentile(ms, percent).toFixed(1)} ms`),
  ];
  printTable(
    [`at ${EVENTS_PER_S}/s, in turns`, "events", "p50", "p90", "p99", "max"],
    [
      row("croft: verified, parsed, stored, told, then handled", own),
      row("a bare route: stored", bare),
    ],
  );
  const figures = {
    answer_p50_ms: two(percentile(own, 50)),
    answer_p99_ms: two(percentile(own, 99)),
    bare_p50_ms: two(percentile(bare, 50)),
    bare_p99_ms: two(percentile(bare, 99)),
    handled_after_ms: Math.round(handledMs),
  };
  judgeTargets([{ name: "answer, p99", measured: figures.answer_p99_ms, most: 50, unit: "ms" }]);
  return { bench: "inbox", ...figures };
}
