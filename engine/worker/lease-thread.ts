// The thread that keeps a worker's lease: a handler that blocks the process cannot stop it, a stopped process does.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";
import pg from "pg";
import { monotonicMs } from "./monotonic-ms.ts";

export interface LeaseThreadData {
  readonly target: pg.ClientConfig;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** After so long without a renewal, the watchdog ends the commands. */
  readonly watchdogMs: number;
  /** The command that starts it. */
  readonly watchdog: readonly string[];
}

export type LeaseOrder =
  | { readonly kind: "watch"; readonly directory: string; readonly uid: number }
  | { readonly kind: "forget"; readonly directory: string }
  | { readonly kind: "end" };

/** `lost`: the database says that this worker has ended. `failed`: it could not be asked. */
export type LeaseMessage =
  | { readonly kind: "renewed"; readonly cancelled: readonly string[]; readonly askedAtMs: number }
  | { readonly kind: "watched"; readonly directory: string }
  | { readonly kind: "ended" }
  | { readonly kind: "lost" }
  | { readonly kind: "failed"; readonly message: string };

const { target, workerId, leaseMs, renewEveryMs, watchdogMs, watchdog } =
  workerData as LeaseThreadData;
const tell = (message: LeaseMessage) => parentPort?.postMessage(message);
let client: pg.Client | undefined;
let isOver = false;

type Watchdog = ChildProcessByStdio<Writable, Readable, null>;
let dog: Watchdog | undefined;
/** Users by directory. A watchdog that ended is followed by another, which has to know them. */
const watched = new Map<string, number>();
let renewedAtMs = monotonicMs();

parentPort?.on("message", (order: LeaseOrder) => {
  switch (order.kind) {
    case "watch":
      watched.set(order.directory, order.uid);
      if (dog === undefined) dog = startWatchdog();
      else dog.stdin.write(`+ ${order.uid} ${order.directory}\n`);
      break;
    case "forget":
      watched.delete(order.directory);
      dog?.stdin.write(`- ${order.directory}\n`);
      break;
    case "end":
      void end();
      break;
  }
});

let timer = setTimeout(renew, 0);

async function renew(): Promise<void> {
  const askedAtMs = monotonicMs();
  try {
    client ??= await connect();
    const { rows } = await client.query<{ cancelled: string[] }>(
      "select cancelled from croft.renew($1, $2)",
      [workerId, leaseMs],
    );
    const [row] = rows;
    if (row === undefined) {
      isOver = true;
      tell({ kind: "lost" });
    } else {
      renewedAtMs = askedAtMs;
      dog?.stdin.write(`= ${renewedAtMs}\n`);
      tell({ kind: "renewed", cancelled: row.cancelled, askedAtMs });
    }
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    const broken = client;
    client = undefined;
    await broken?.end().catch(() => {}); // broken: that is why
  }
  if (!isOver) timer = setTimeout(renew, Math.max(50, renewEveryMs - (monotonicMs() - askedAtMs)));
}

/**
 * Of a session of its own: what ends the worker at the terminal must not end it. A directory counts as watched when it
 * says so: it takes a while to start, and counts the time from the renewal, not from when it heard of it.
 */
function startWatchdog(): Watchdog {
  const [program = "", ...args] = watchdog;
  const child = spawn(program, [...args, String(watchdogMs)], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
  });
  child.stdin.on("error", () => {}); // it has ended: see below
  child.stdin.write(`= ${renewedAtMs}\n`);
  for (const [directory, uid] of watched) child.stdin.write(`+ ${uid} ${directory}\n`);
  createInterface({ input: child.stdout }).on("line", (line) =>
    tell({ kind: "watched", directory: line.slice(2) }),
  );
  child.on("error", (error) => replaceWatchdog(error.message));
  child.on("exit", (code, signal) => replaceWatchdog(`it ended (${code ?? signal})`));
  return child;
}

function replaceWatchdog(reason: string): void {
  dog = undefined;
  if (isOver) return;
  tell({ kind: "failed", message: `no watchdog: ${reason}` });
  setTimeout(() => {
    if (!isOver && watched.size > 0) dog ??= startWatchdog();
  }, renewEveryMs);
}

async function end(): Promise<void> {
  isOver = true;
  clearTimeout(timer);
  const left = dog;
  const leaving = left === undefined ? undefined : once(left, "exit"); // with what it had to end
  left?.stdin.end();
  await client?.end().catch(() => {}); // it was broken
  await leaving;
  tell({ kind: "ended" });
}

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({
    ...target,
    application_name: "croft lease",
    connectionTimeoutMillis: renewEveryMs,
    query_timeout: renewEveryMs,
  });
  opened.on("error", () => {
    client = undefined; // the next renewal opens another
  });
  await opened.connect();
  return opened;
}
