// API and dashboard in one process, with the embedded database unless DATABASE_URL says otherwise.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  announceServer,
  BulkRunner,
  type Config,
  type Engine,
  openEngine,
  ownRunServer,
  type Project,
  type ProjectTrigger,
  RunAdvancer,
  ScheduleRunner,
  startDispatching,
  startJanitor,
  startWorker,
  withdrawServer,
} from "@croft/engine";
import { buildServer, createLog, type ServerLog, trackConnections } from "@croft/server";
import { listen, listenAnywhere } from "./listen.ts";
import { printWelcome } from "./print-welcome.ts";
import { watchIdle } from "./watch-idle.ts";

const DASHBOARD = fileURLToPath(new URL("./web/", import.meta.url));

export interface ServeOptions {
  readonly version: string;
  /** With handlers of its own. */
  readonly project: Project | undefined;
  /** Which events of GitHub start what. */
  readonly triggers: readonly ProjectTrigger[];
  /** Aborted when the process should end. */
  readonly stop: AbortSignal;
  /** By `croft run`, for as long as it is needed. */
  readonly isStartedByRun?: boolean;
}

export async function serve(config: Config, options: ServeOptions): Promise<void> {
  // Whoever read our output may have gone; that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const log = await createLog(config.log, { isTerminal: process.stderr.isTTY });
  if (options.isStartedByRun !== true) return await serveWith(config, log, options);
  const own = await ownRunServer(config.data);
  if (own === undefined) {
    log.info({}, "another server that 'croft run' started is here already");
    return;
  }
  try {
    await serveWith(config, log, options);
  } finally {
    await own.release();
  }
}

async function serveWith(config: Config, log: ServerLog, options: ServeOptions): Promise<void> {
  const { version, project, triggers, stop: asked, isStartedByRun = false } = options;
  const idle = new AbortController();
  const stop = AbortSignal.any([asked, idle.signal]);
  let engine: Engine;
  try {
    engine = await openEngine({ config, log, version, project, triggers, signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
    log.info({ reason: stop.reason }, "stopped before the start was complete");
    return;
  }
  try {
    const worker = await startWorker(engine);
    const dispatching = await startDispatching(engine);
    const runners = [
      ...[ScheduleRunner.start(engine), BulkRunner.start(engine)],
      ...[RunAdvancer.start(engine), startJanitor(engine)],
    ];
    const drain = () =>
      Promise.all([
        ...runners.map((runner) => runner.close()),
        worker.close(config.shutdown.drain),
        dispatching.close(config.shutdown.killGrace),
      ]);
    const draining = once(stop, "abort").then(drain); // beside the requests that are still answered
    draining.catch(() => {}); // told below
    try {
      const onIdle = isStartedByRun ? () => idle.abort("idle") : undefined;
      await serveHttp(engine, log, { stop, onIdle });
    } finally {
      await drain();
    }
  } finally {
    await engine.close();
    log.info({}, "stopped");
  }
}

interface HttpOptions {
  readonly stop: AbortSignal;
  /** For a server that is there only while it is needed. */
  readonly onIdle: (() => void) | undefined;
}

async function serveHttp(
  engine: Engine,
  log: ServerLog,
  { stop, onIdle }: HttpOptions,
): Promise<void> {
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
    const address = await (onIdle === undefined ? listen : listenAnywhere)(app, config.http);
    publicUrl = address.publicUrl;
    if (onIdle !== undefined) {
      watchIdle(engine, app.server, config.server.idle).addEventListener("abort", onIdle);
    }
    await announceServer(directory.run, address.localUrl);
    if (onIdle === undefined) await printWelcome(engine, publicUrl);
    else log.info({ url: publicUrl, idleMs: config.server.idle }, "ready, started by 'croft run'");
    if (!stop.aborted) await once(stop, "abort");
    log.info({ reason: stop.reason }, "stopping");
  } finally {
    await withdrawServer(directory.run).catch((error: unknown) => {
      log.warn({ err: error }, "cannot remove the server's address");
    });
    await drain(config.shutdown.drain);
  }
}
