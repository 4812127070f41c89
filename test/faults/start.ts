// SIGKILL of the server, and sometimes of its PostgreSQL, during start and work: the next start is good, no row is lost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type RunningServer, runCroft, startServer } from "../support/croft-process.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { createAdmin, signInAsAdmin } from "../support/sign-in.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

/** About as long as a first start takes, so that every phase of it is hit. */
const START_MS_MAX = 1500;
const WORK_MS_MAX = 600;

export async function killDuringStartAndWork(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const acknowledged: Record<string, string>[] = [];
  const failures: string[] = [];
  let injected = 0;

  while (injected < count) {
    await killDuringStart(data, random);
    injected++;
    const server = await startServer(data).catch((error: Error) => error);
    if (server instanceof Error) {
      failures.push(`after kill ${injected} (start): ${server.message}`);
      break;
    }
    failures.push(
      ...(await missingRows(server, acknowledged)).map((row) => `kill ${injected}: ${row}`),
    );
    if (injected === count) {
      await server.stop();
      break;
    }
    acknowledged.push(...(await killDuringWork(server, random, acknowledged.length === 0)));
    injected++;
  }
  const last = await startServer(data);
  failures.push(...(await missingRows(last, acknowledged)).map((row) => `at the end: ${row}`));
  if ((await last.stop()) !== 0) failures.push("the last server did not stop cleanly");
  return { injected, figures: { acknowledged: acknowledged.length }, failures };
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
  const acknowledged: Record<string, string>[] = [];
  if (isFirst) acknowledged.push((await createAdmin(server)).headers);
  const alsoPostgres = random.below(3) === 0;
  const killing = delay(random.below(WORK_MS_MAX)).then(() => {
    server.child.kill("SIGKILL");
    if (alsoPostgres) killPostgres(server.data);
  });
  for (;;) {
    const signedIn = await signInAsAdmin(server).catch(() => undefined);
    if (signedIn === undefined) break; // the connection broke: not acknowledged
    acknowledged.push(signedIn.headers);
  }
  await killing;
  await server.exit;
  return acknowledged;
}

async function missingRows(server: RunningServer, acknowledged: readonly Record<string, string>[]) {
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
