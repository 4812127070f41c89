// API and dashboard in one process, with the embedded database unless DATABASE_URL says otherwise.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  announceServer,
  BulkRunner,
  type Config,
  type Engine,
  openEngine,
  RunAdvancer,
  ScheduleRunner,
  startJanitor,
  startWorker,
  withdrawServer,
} from "@croft/engine";
import { buildServer, createLog, type ServerLog, trackConnections } from "@croft/server";
import { listen } from "./listen.ts";
import { printWelcome } from "./print-welcome.ts";

const DASHBOARD = fileURLToPath(new URL("./web/", import.meta.url));

export interface ServeOptions {
  readonly version: string;
  /** Aborted when the process should end. */
  readonly stop: AbortSignal;
}

export async function serve(config: Config, { version, stop }: ServeOptions): Promise<void> {
  // Whoever read our output may have gone; that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const log = await createLog(config.log, { isTerminal: process.stderr.isTTY });
  let engine: Engine;
  try {
    engine = await openEngine({ config, log, version, signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
    log.info({ reason: stop.reason }, "stopped before the start was complete");
    return;
  }
  try {
    const worker = await startWorker(engine);
    const runners = [
      ...[ScheduleRunner.start(engine), BulkRunner.start(engine)],
      ...[RunAdvancer.start(engine), startJanitor(engine)],
    ];
    const drain = () =>
      Promise.all([
        ...runners.map((runner) => runner.close()),
        worker.close(config.shutdown.drain),
      ]);
    const draining = once(stop, "abort").then(drain); // beside the requests that are still answered
    draining.catch(() => {}); // told below
    try {
      await serveHttp(engine, log, stop);
    } finally {
      await drain();
    }
  } finally {
    await engine.close();
    log.info({}, "stopped");
  }
}

async function serveHttp(engine: Engine, log: ServerLog, stop: AbortSignal): Promise<void> {
  const { config, directory } = engine;
  let publicUrl = "";
  const isDraining = () => stop.aborted;
  const app = await buildServer({
    engine,
    log,
    dashboard: DASHBOARD,
    ownUrl: () => publicUrl,
    isDraining,
  });
  const drain = trackConnections(app, isDraining);
  try {
    const address = await listen(app, config.http);
    publicUrl = address.publicUrl;
    await announceServer(directory.run, address.localUrl);
    await printWelcome(engine, publicUrl);
    if (!stop.aborted) await once(stop, "abort");
    log.info({ reason: stop.reason }, "stopping");
  } finally {
    await withdrawServer(directory.run).catch((error: unknown) => {
      log.warn({ err: error }, "cannot remove the server's address");
    });
    await drain(config.shutdown.drain);
  }
}
