// SIGKILL of the server, and sometimes of its PostgreSQL, during first starts, starts and work: nothing acknowledged is lost.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type RunningServer, runCroft, startServer } from "../support/croft-process.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { createAdmin, signInAsAdmin } from "../support/sign-in.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

/** About as long as a first start takes, so that every phase of it is hit. */
const START_MS_MAX = 1500;
const WORK_MS_MAX = 600;

type Headers = Record<string, string>;

/** Takes turns: a kill during a first start in a fresh directory, during a later start, during work. */
export async function killDuringStartAndWork(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const acknowledged: Headers[] = [];
  const failures: string[] = [];
  const figures = { first_starts: 0, starts: 0, works: 0 };
  const injected = () => figures.first_starts + figures.starts + figures.works;

  await stopCleanly(await startServer(data), failures);
  while (injected() < count && failures.length === 0) {
    try {
      await killDuringStart(join(directory, `fresh-${injected()}`), random);
      figures.first_starts++;
      await stopCleanly(await startServer(join(directory, `fresh-${injected() - 1}`)), failures);
      await rm(join(directory, `fresh-${injected() - 1}`), { recursive: true });

      await killDuringStart(data, random);
      figures.starts++;
      const server = await startServer(data);
      failures.push(...(await missingRows(server, acknowledged)));
      await forgetAttempts(data);
      acknowledged.push(...(await killDuringWork(server, random, acknowledged.length === 0)));
      figures.works++;
    } catch (error) {
      failures.push(`after ${injected()} kills: ${error instanceof Error ? error.message : error}`);
    }
  }
  const last = await startServer(data);
  failures.push(...(await missingRows(last, acknowledged)));
  await stopCleanly(last, failures);
  return {
    injected: injected(),
    figures: { ...figures, acknowledged: acknowledged.length },
    failures,
  };
}

async function stopCleanly(server: RunningServer, failures: string[]): Promise<void> {
  const code = await server.stop();
  if (code !== 0) failures.push(`a server ended with ${code}: ${server.output()}`);
}

async function killDuringStart(data: string, random: SeededRandom): Promise<void> {
  const server = runCroft(["serve", "--data", data, "--http-port", "0"]);
  await delay(random.below(START_MS_MAX));
  server.child.kill("SIGKILL");
  await server.exit;
  if (random.below(3) === 0) killPostgres(data);
}

/** Signs in again and again until the server is gone; returns what it had acknowledged by then. */
async function killDuringWork(server: RunningServer, random: SeededRandom, isFirst: boolean) {
  const acknowledged: Headers[] = [];
  if (isFirst) acknowledged.push((await createAdmin(server)).headers);
  const alsoPostgres = random.below(3) === 0;
  acknowledged.push((await signInAsAdmin(server)).headers); // however busy the machine is, something is to be lost
  let isKilled = false;
  const killing = delay(random.below(WORK_MS_MAX)).then(() => {
    isKilled = true;
    server.child.kill("SIGKILL");
    if (alsoPostgres) killPostgres(server.data);
  });
  for (;;) {
    try {
      acknowledged.push((await signInAsAdmin(server)).headers);
    } catch (error) {
      if (!isKilled) throw error; // only the kill may stand between a request and its answer
      break;
    }
  }
  await killing;
  await server.exit;
  return acknowledged;
}

/** A sign-in cut off by a kill counts as failed; without this the limit would end the work after ten kills. */
async function forgetAttempts(data: string): Promise<void> {
  const host = join(data, "postgres/socket");
  const client = new pg.Client({ host, user: "croft", database: "croft" });
  await client.connect();
  await client.query("delete from croft.sign_in_limit");
  await client.end();
}

async function missingRows(server: RunningServer, acknowledged: readonly Headers[]) {
  const missing: string[] = [];
  for (const [index, headers] of acknowledged.entries()) {
    const { status } = await fetch(`${server.url}/api/session`, { headers });
    if (status !== 200)
      missing.push(`session ${index} of ${acknowledged.length} answers ${status}`);
  }
  return missing;
}

function killPostgres(data: string): void {
  try {
    const file = readFileSync(join(data, "postgres/data/postmaster.pid"), "utf8");
    process.kill(Number.parseInt(file, 10), "SIGKILL");
  } catch {
    // It was not started yet, or has ended already.
  }
}
