// A process of its own that runs jobs of the fault tests, until SIGTERM or worse.
import { loadConfig, openEngine, startWorker } from "@croft/engine";
import { silentLog } from "../support/silent-log.ts";
import { queueJobTypes } from "./queue-job-types.ts";
import type { QueueWorkerPlan } from "./queue-processes.ts";

const plan = JSON.parse(process.argv[2] ?? "{}") as QueueWorkerPlan;
const { config } = await loadConfig({
  flags: { data: plan.data, ...plan.flags },
  env: { DATABASE_URL: plan.databaseUrl },
  directory: plan.data,
  uid: process.getuid?.(),
  home: plan.data,
});
const say = (fields: object, text: string) =>
  process.stderr.write(`${process.pid}: ${text} ${JSON.stringify(fields)}\n`);
const log = plan.isLoud === true ? { ...silentLog, warn: say, error: say } : silentLog;
const types = queueJobTypes;
const engine = await openEngine({ config, log, version: "test", types, role: "worker" });
const worker = await startWorker(engine, plan.times);
process.once("SIGTERM", async () => {
  await worker.close(config.shutdown.drain);
  await engine.close();
  process.exit(0);
});
process.stdout.write("ready\n");
