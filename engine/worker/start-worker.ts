// A worker with the settings of this process.
import { availableParallelism } from "node:os";
import { type Engine, hostIdentity } from "../engine.ts";
import type { LeaseTimes } from "./lease.ts";
import { JobWorker } from "./worker.ts";

const SLOTS_MIN = 4;

/** `times` are shorter in tests only. */
export async function startWorker(engine: Engine, times?: LeaseTimes): Promise<JobWorker> {
  const { database, listener, log, types, version, config } = engine;
  return await JobWorker.start({
    ...{ database, listener, log, types, version, times },
    host: hostIdentity(engine),
    slots: config.worker.slots ?? Math.max(SLOTS_MIN, 2 * availableParallelism()),
    timeoutMs: config.job.timeout,
    maxLost: config.job.maxLost,
    logBytesMax: config.job.logLimit,
  });
}
