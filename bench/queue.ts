// The queue beside what people would take instead: drain, enqueue, latency; its claims; and what an idle server takes.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, loadConfig, openEngine } from "@croft/engine";
import { silentLog } from "../test/support/silent-log.ts";
import { makeDatabase, requireFsync } from "./queue/bench-databases.ts";
import { openBullmq } from "./queue/bullmq-contender.ts";
import { type Contender, type ContenderName, contenderNames } from "./queue/contender.ts";
import { noopJob, openCroft } from "./queue/croft-contender.ts";
import { openGraphile } from "./queue/graphile-contender.ts";
import { measureIdle } from "./queue/measure-idle.ts";
import { openPgBoss } from "./queue/pgboss-contender.ts";
import { openPQueue } from "./queue/pqueue-contender.ts";
import { requireRedis } from "./queue/redis-server.ts";
import { reportQueue } from "./queue/report-queue.ts";
import { timeClaims } from "./queue/time-claims.ts";
import { type ContenderRound, timeContender } from "./queue/time-contender.ts";
import { isQuick } from "./quick.ts";
import { type Scratch, withScratch } from "./scratch.ts";

const ROUNDS = isQuick ? 1 : 3;
const NO_LIMITS = "no limits per key, fairness, history of events or transactional enqueue";

export async function benchQueue(): Promise<object> {
  requireRedis();
  return await withScratch(async (scratch) => {
    const idle = await measureIdle(scratch);
    const engine = await openBenchEngine(join(scratch.path, "data"));
    scratch.atEnd(() => engine.close());
    await requireFsync(engine.database);
    const measured = await race(engine, scratch);
    const claims = await timeClaims(engine.database, scratch.path);
    return reportQueue({ ...measured, claims, idle });
  });
}

async function openBenchEngine(data: string): Promise<Engine> {
  const { config } = await loadConfig({
    flags: { data, "concurrency.perOwner": "1000000" },
    env: {},
    directory: tmpdir(),
    uid: process.getuid?.(),
    home: tmpdir(),
  });
  return await openEngine({ config, log: silentLog, version: "bench", types: [noopJob] });
}

/** Round by round, one after the other: whatever else the machine does meets all of them. */
async function race(engine: Engine, scratch: Scratch) {
  const contenders: Contender[] = [];
  for await (const contender of openContenders(engine, scratch.path)) {
    scratch.atEnd(() => contender.close());
    contenders.push(contender);
  }
  const rounds = Object.fromEntries(
    contenderNames.map((name) => [name, [] as ContenderRound[]]),
  ) as Record<ContenderName, ContenderRound[]>;
  for (let round = 1; round <= ROUNDS; round++) {
    for (const contender of contenders) {
      const measured = await timeContender(contender);
      rounds[contender.name].push(measured);
      const { enqueuePerS, drainPerS10, drainPerS50 } = measured;
      const rates = [enqueuePerS, drainPerS10, drainPerS50].map((rate) => rate.toFixed(0));
      process.stdout.write(`round ${round}: ${contender.title}: ${rates.join(", ")} /s\n`);
    }
  }
  return { contenders, rounds };
}

async function* openContenders(engine: Engine, root: string): AsyncGenerator<Contender> {
  const { database } = engine;
  yield await openCroft(engine);
  yield await openBullmq({
    name: "bullmq",
    title: "BullMQ",
    note: `Redis as it comes, which may lose the last minutes; ${NO_LIMITS}`,
    directory: join(root, "redis"),
    redis: {},
  });
  yield await openBullmq({
    name: "bullmq_fsync",
    title: "BullMQ, fsync",
    note: `appendfsync always; ${NO_LIMITS}`,
    directory: join(root, "redis-fsync"),
    redis: { appendonly: "yes", appendfsync: "always" },
  });
  yield await openGraphile(await makeDatabase(database, "graphile"), {
    name: "graphile",
    title: "graphile-worker",
    note: "0.17.3; limits per key of 1 only; no fairness, no events, ended jobs are deleted",
  });
  yield await openGraphile(await makeDatabase(database, "graphile_batched"), {
    name: "graphile_batched",
    title: "graphile-worker, batched",
    note: "with a local queue of 500 and batched completion: a killed worker's jobs wait for 4 hours",
    preset: {
      worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
  });
  yield await openPgBoss(await makeDatabase(database, "pgboss"));
  yield openPQueue();
}
