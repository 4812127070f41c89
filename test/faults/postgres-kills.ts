// SIGKILL of PostgreSQL, or of one of its backends, while jobs come in and run: the server brings it back, nothing is lost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { KillScene } from "./kill-scene.ts";

const BETWEEN_MS_MAX = 3000;
/** Half a second to notice, recovery, and a machine that does other things too. */
const BACK_CEILING_MS = 30_000;

export async function killPostgres(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const scene = await KillScene.open(directory, seed);
  const { random, failures } = scene;
  const figures = { server_deaths: 0, backend_deaths: 0 };
  const injected = () => figures.server_deaths + figures.backend_deaths;
  try {
    while (injected() < count && failures.length === 0) {
      await delay(random.below(BETWEEN_MS_MAX));
      // One dead backend costs all of them their connections: PostgreSQL starts anew by itself.
      const victim = random.below(2) === 0 ? "server" : "backend";
      const pid = victim === "server" ? postmasterOf(scene.data) : await backendOf(scene);
      const fall = await fallOf(scene);
      process.kill(pid, "SIGKILL");
      figures[`${victim}_deaths`]++;
      await waitUntil("the end of all connections", fall, BACK_CEILING_MS);
      await waitUntil("the database", () => isBack(scene), BACK_CEILING_MS);
    }
  } catch (error) {
    failures.push(`after ${injected()} kills: ${error instanceof Error ? error.message : error}`);
  }
  const ended = await scene.finish();
  return { injected: injected(), figures: { ...figures, ...ended }, failures };
}

function postmasterOf(data: string): number {
  return Number.parseInt(readFileSync(join(data, "postgres/data/postmaster.pid"), "utf8"), 10);
}

/** Of anybody but the one who asks. */
async function backendOf({ pool, random }: KillScene): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid",
  );
  const { pid } = rows[random.below(rows.length)] ?? {};
  if (pid === undefined) throw new Error("nobody is connected");
  return pid;
}

/** Whether a connection of now has ended: for a moment after the kill the others still answer, as if nothing had been. */
async function fallOf({ pool }: KillScene): Promise<() => boolean> {
  const witness = await pool.connect();
  let hasFallen = false;
  witness.once("end", () => {
    hasFallen = true;
    witness.release(true);
  });
  return () => hasFallen;
}

async function isBack({ pool, server }: KillScene): Promise<boolean> {
  try {
    await pool.query("select from croft.queue");
    return (await fetch(`${server.url}/readyz`)).status === 200;
  } catch {
    return false; // not yet
  }
}
