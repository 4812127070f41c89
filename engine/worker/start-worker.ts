// A worker with the settings of this process.
import { DatabaseLedger } from "../command/database-ledger.ts";
import { type Engine, hostIdentity } from "../engine.ts";
import type { Neighbour } from "./end-dead-workers.ts";
import type { LeaseTimes } from "./lease.ts";
import { JobWorker } from "./worker.ts";
import { workerSlots } from "./worker-slots.ts";

/** `times` are shorter in tests only. */
export async function startWorker(engine: Engine, times?: LeaseTimes): Promise<JobWorker> {
  const { database, listener, log, types, version, config, assets } = engine;
  void clearUp(engine);
  return await JobWorker.start({
    ...{ database, listener, log, types, version, assets, times },
    host: hostIdentity(engine),
    slots: workerSlots(config),
    timeoutMs: config.job.timeout,
    maxLost: config.job.maxLost,
    logBytesMax: config.job.logLimit,
    onDeadNeighbour: (process) => clearUpAfter(engine, process),
  });
}

/** What was left here by those before us goes as soon as git is opened: in the background, nobody waits for it. */
async function clearUp(engine: Engine): Promise<void> {
  try {
    const entries = await new DatabaseLedger(engine.database, engine.hostId).list();
    if (entries.length > 0) await engine.git();
  } catch (error) {
    engine.log.warn({ err: error }, "workspaces of an earlier run could not be looked for");
  }
}

/** Its jobs run elsewhere next: nothing of theirs may still run here then. */
async function clearUpAfter(engine: Engine, { pid, start }: Neighbour): Promise<void> {
  const ledger = new DatabaseLedger(engine.database, engine.hostId);
  const entries = (await ledger.list()).filter(
    ({ process }) => process.pid === pid && process.start === start,
  );
  if (entries.length === 0) return;
  const { workspaces } = await engine.git();
  for (const entry of entries) await workspaces.removeEntry(entry, false);
}
