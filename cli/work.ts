// A worker alone: on the database of DATABASE_URL, else beside the `croft serve` of the same data directory.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Config,
  type Engine,
  type JobWorker,
  openEngine,
  type Project,
  RunAdvancer,
  startDispatching,
  startWorker,
} from "@croft/engine";
import { createLog, type ServerLog } from "@croft/server";

export interface WorkOptions {
  readonly version: string;
  /** With handlers of its own. */
  readonly project: Project | undefined;
  /** Aborted when the process should end. */
  readonly stop: AbortSignal;
}

/** For telling the queue what became of the jobs. */
const SETTLE_LIMIT_MS = 5000;

export async function work(config: Config, options: WorkOptions): Promise<void> {
  const { version, project, stop } = options;
  // Whoever read our output may have gone; that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const log = await createLog(config.log, { isTerminal: process.stderr.isTTY });
  let engine: Engine;
  try {
    engine = await openEngine({ config, log, version, project, signal: stop, role: "worker" });
  } catch (error) {
    if (!stop.aborted) throw error;
    log.info({ reason: stop.reason }, "stopped before the start was complete");
    return;
  }
  try {
    const worker = await startWorker(engine);
    const advancer = RunAdvancer.start(engine);
    const dispatching = await startDispatching(engine);
    process.stderr.write(`Croft worker ${version} is ready\n`);
    if (!stop.aborted) await once(stop, "abort");
    log.info({ reason: stop.reason, running: worker.runningCount }, "stopping");
    await Promise.all([advancer.close(), dispatching.close(config.shutdown.killGrace)]);
    await endInTime(worker, config.shutdown, log);
  } finally {
    await engine.close();
    log.info({}, "stopped");
  }
}

/** What could not be told to the queue is taken over by others, as from a worker that was killed. */
async function endInTime(
  worker: JobWorker,
  { drain, killGrace }: Config["shutdown"],
  log: ServerLog,
): Promise<void> {
  const ended = new AbortController();
  const closing = worker.close(drain).finally(() => ended.abort());
  const limitMs = drain + killGrace + SETTLE_LIMIT_MS;
  const late = delay(limitMs, "late" as const, { signal: ended.signal }).catch(() => undefined); // it ended in time
  if ((await Promise.race([closing, late])) !== "late") return;
  log.error({ running: worker.runningCount }, "the worker did not end in time");
  process.exit(1);
}
