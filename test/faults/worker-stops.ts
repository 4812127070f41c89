// SIGSTOP of a worker past its lease, then SIGCONT: its job ran elsewhere meanwhile, and nothing it says late is believed.
import { join } from "node:path";
import { type Engine, loadConfig, openEngine } from "@croft/engine";
import { processesIn } from "@croft/git";
import { checkQueue } from "../support/check-queue.ts";
import { findLeftovers } from "../support/find-leftovers.ts";
import { makeRepository } from "../support/make-repository.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { silentLog } from "../support/silent-log.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { queueJobTypes } from "./queue-job-types.ts";
import {
  embeddedDatabaseUrl,
  type QueueWorker,
  startQueueWorker,
  stopQueueWorkers,
} from "./queue-processes.ts";

const FLAGS = { "worker.slots": "2", "git.allowLocal": "true" };
/** As the product's, but shorter. */
const TIMES = { leaseMs: 4000, renewEveryMs: 600, stopBeforeEndMs: 1500 };
const CEILING_MS = 30_000;
/** Over when the stopped worker goes on. */
const WORK_MS = 1500;

interface Scene {
  readonly engine: Engine;
  readonly workers: readonly QueueWorker[];
  readonly repository: string;
}

/** In turn a job within the worker's process, and one that runs a command. */
export async function stopWorkers(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const repository = await makeRepository(join(directory, "remotes"), "app", { files: 5, seed });
  const sources = { env: {}, directory: data, uid: process.getuid?.(), home: data };
  const { config } = await loadConfig({ flags: { data, ...FLAGS }, ...sources });
  const types = queueJobTypes;
  const engine = await openEngine({ config, log: silentLog, version: "test", types });
  const databaseUrl = embeddedDatabaseUrl(engine.database.pool.options.host ?? "");
  const plan = { databaseUrl, data, flags: FLAGS, times: TIMES };
  const workers = [startQueueWorker(plan), startQueueWorker(plan)];
  const scene = { engine, workers, repository };
  const failures: string[] = [];
  const figures = { in_process: 0, commands: 0 };
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    for (let nth = 0; nth < count && failures.length === 0; nth++) {
      const kind = nth % 2 === 0 ? "in_process" : "commands";
      failures.push(...(await stopOnce(scene, kind, random.below(2) === 0)));
      figures[kind]++;
    }
    failures.push(...(await checkQueue(engine.database.pool)));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  } finally {
    for (const { child } of workers) child.kill("SIGCONT"); // that a failure has left stopped
    failures.push(...(await stopQueueWorkers(workers)));
    await engine.close();
  }
  failures.push(...findLeftovers(data));
  return { injected: figures.in_process + figures.commands, figures, failures };
}

/** `isLate`: it goes on only when its successor has ended. */
async function stopOnce(
  { engine, workers, repository }: Scene,
  kind: "in_process" | "commands",
  isLate: boolean,
): Promise<string[]> {
  const failures: string[] = [];
  const command = { repository, command: `sleep ${(WORK_MS + TIMES.leaseMs) / 1000}` };
  const id = await submit(
    engine,
    kind === "commands" ? "command" : "pause",
    kind === "commands" ? command : { ms: WORK_MS, says: "done" },
  );
  const { first, place } = await waitForWork(engine, id, kind === "commands");
  const victim = workers.find(({ pid }) => pid === first.pid);
  if (victim === undefined) throw new Error(`process ${first.pid} is none of ours`);
  victim.child.kill("SIGSTOP");
  const second = await waitForSuccessor(engine, id, first.attempt);
  if (second.pid === first.pid) failures.push("a stopped worker took its own job over");
  // The watchdog is quicker than the lease is long: nobody of the first is left when the second begins.
  const left = place === undefined ? [] : processesIn([place.path], place.uid);
  if (left.length > 0) failures.push(`processes ${left} of a stopped worker ran on`);
  if (!isLate) victim.child.kill("SIGCONT");
  await waitUntil("the end", async () => (await read(engine, id)).status === "done", CEILING_MS);
  victim.child.kill("SIGCONT");
  await waitUntil("another life of the worker", () => isAtWork(engine, first), CEILING_MS);
  failures.push(...(await judge(engine, id, first)));
  return failures;
}

async function submit({ intake }: Engine, type: string, input: Record<string, unknown>) {
  return (await intake.submit({ type, input, owner: "local", priority: "normal" })).id;
}

interface AttemptOf {
  readonly attempt: number;
  readonly worker: string;
  readonly pid: number;
}

async function read({ database: { pool } }: Engine, id: string) {
  const { rows } = await pool.query<{ status: string } & AttemptOf>(
    `select j.status, j.attempt, w.id as worker, w.pid from croft.job j
     left join croft.worker w on w.id = j.worker_id where j.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`job ${id} is not there`);
  return row;
}

/** With leases this short a busy machine may cost an attempt its own before it is at work: then it is the next. */
async function waitForWork(engine: Engine, id: string, isCommand: boolean) {
  const { platform } = await engine.git();
  const uid = platform.jobUser?.uid ?? process.getuid?.() ?? 0;
  const look = async () => {
    const first = await read(engine, id);
    if (first.status !== "running") return undefined;
    if (!isCommand) return { first, place: undefined };
    const { rows } = await engine.database.pool.query<{ path: string }>(
      "select entry ->> 'path' as path from croft.workspace where entry ->> 'jobId' = $1 and entry ->> 'attempt' = $2",
      [id, first.attempt],
    );
    const { path } = rows[0] ?? {};
    if (path === undefined || processesIn([path], uid).length === 0) return undefined;
    return { first, place: { path, uid } };
  };
  return await waitUntil("a job at work", look, CEILING_MS);
}

async function waitForSuccessor(engine: Engine, id: string, attempt: number): Promise<AttemptOf> {
  const look = async () => {
    const row = await read(engine, id);
    return row.status === "running" && row.attempt > attempt ? row : undefined;
  };
  return await waitUntil("its successor", look, CEILING_MS);
}

/** The same process under another id, since the old one has ended for good. */
async function isAtWork({ database: { pool } }: Engine, { pid, worker }: AttemptOf) {
  const { rowCount } = await pool.query(
    "select from croft.worker where pid = $1 and id <> $2 and ended_at is null and lease_until > croft.now()",
    [pid, worker],
  );
  return rowCount === 1;
}

async function judge(
  { database: { pool } }: Engine,
  id: string,
  { worker, attempt }: AttemptOf,
): Promise<string[]> {
  const { rows: events } = await pool.query<{ type: string; attempt: number }>(
    "select type, (data ->> 'attempt')::integer as attempt from croft.event where subject = $1 order by seq",
    [id],
  );
  const isTurn = (type: string) => type.startsWith("job.") && type !== "job.progress";
  const told = events.map(({ type }) => type).filter(isTurn);
  const wanted = /^job.queued,(job.started,job.retrying,)+job.started,job.done$/;
  const last = events.at(-1)?.attempt ?? 0;
  const { rows: late } = await pool.query<{ text: string }>(
    `select l.text from croft.job_log l where l.job_id = $1 and l.attempt = $2
       and l.at > (select ended_at from croft.worker where id = $3)`,
    [id, attempt, worker],
  );
  return [
    ...(wanted.test(told.join()) ? [] : [`events of ${id}: ${told}`]),
    ...(last > attempt ? [] : [`attempt ${last} had the last word`]),
    ...late.map(({ text }) => `a late log was written: ${text}`),
  ];
}
