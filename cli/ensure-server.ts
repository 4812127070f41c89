// Reaches the server of the data directory, and starts one in the background where none runs.
import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  EngineError,
  findServer,
  type LoadedConfig,
  type RunServerPlace,
  redactText,
  runServerPlace,
} from "@croft/engine";
import type { Command } from "commander";
import { durationText } from "./duration-text.ts";
import { reachLocalServer } from "./local-server.ts";
import { isElsewhere, type ReachedServer, reachServer } from "./reach-server.ts";
import { readConfig, readRemote } from "./read-config.ts";
import { spawnServer } from "./spawn-server.ts";
import { plainText } from "./terminal-text.ts";

/** A first start makes the database, on a slow machine beside nine others. */
const START_LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 50;
/** One failure may be another server's that was there for a moment longer. */
const FAILURES_MAX = 2;
const LOG_BYTES_MAX = 5 * 1024 * 1024;
const TOLD_LINES = 3;

/** As `reachServer`; never starts one for CROFT_URL. */
export async function ensureServer(command: Command): Promise<ReachedServer> {
  if (isElsewhere(command)) return await reachServer(command);
  const loaded = await readConfig(command);
  const { data } = loaded.config;
  const run = join(data, "run");
  const isThere = async () => (await findServer(run)) !== undefined;
  const { token } = readRemote();
  const isRunning = await isThere().catch(() => true); // what is wrong is told by whoever reaches it
  if (!isRunning) await startServer(loaded, await runServerPlace(data), isThere);
  return await reachLocalServer(loaded.config, token);
}

/**
 * Many may do this at once: who has the right to start starts one, the others wait for it. Who dies meanwhile gives the
 * right back, and the server that he started either comes or is started again by the next.
 */
async function startServer(
  loaded: LoadedConfig,
  place: RunServerPlace,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const giveUpAt = Date.now() + START_LIMIT_MS;
  let failures = 0;
  while (!(await isThere())) {
    if (Date.now() > giveUpAt) throw notStarted(place, "it did not get ready in time");
    const right = (await place.isComing()) ? undefined : await place.takeStart();
    if (right === undefined) {
      await delay(LOOK_EVERY_MS * (1 + Math.random()));
      continue;
    }
    try {
      if ((await isThere()) || (await place.isComing())) continue;
      const said = await startOne(loaded, place, isThere, giveUpAt);
      if (said === undefined) continue;
      failures++;
      if (failures >= FAILURES_MAX && !(await place.isComing())) throw notStarted(place, said);
    } finally {
      await right.release();
    }
  }
}

/** Undefined when it is there; else what it said before it ended. */
async function startOne(
  { config, file }: LoadedConfig,
  place: RunServerPlace,
  isThere: () => Promise<boolean>,
  giveUpAt: number,
): Promise<string | undefined> {
  const from = makeRoom(place.log);
  const child = spawnServer(place.log, [
    ...["serve", "--started-by-run", "--data", config.data],
    ...(file === undefined ? [] : ["--config", file]),
  ]);
  let hasEnded = false;
  child.once("error", () => {
    hasEnded = true;
  });
  child.once("exit", () => {
    hasEnded = true;
  });
  while (!(await isThere())) {
    if (hasEnded) return saidSince(place.log, from);
    if (Date.now() > giveUpAt) return "it did not get ready in time";
    await delay(LOOK_EVERY_MS);
  }
  const idle = durationText(config.server.idle);
  process.stderr.write(
    `croft: started a server in the background, which ends when idle for ${idle} (log: ${place.log})\n`,
  );
  return undefined;
}

/** Returns where the log goes on. One old log is kept. */
function makeRoom(log: string): number {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size < LOG_BYTES_MAX) return size;
  renameSync(log, `${log}.1`);
  return 0;
}

function saidSince(log: string, from: number): string {
  const lines = readFileSync(log).subarray(from).toString("utf8").trim().split("\n");
  return lines
    .slice(-TOLD_LINES)
    .map((line) => plainText(redactText(line)))
    .join("; ");
}

function notStarted({ log }: RunServerPlace, why: string): EngineError {
  return new EngineError(
    "unavailable",
    `no server was running, and none could be started: ${why} (its log: ${log})`,
  );
}
