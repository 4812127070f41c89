// API and dashboard in one process, with the embedded database unless DATABASE_URL says otherwise.
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import {
  announceServer,
  type Config,
  createSetupLink,
  type Engine,
  EngineError,
  isSetupNeeded,
  openEngine,
  withdrawServer,
} from "@croft/engine";
import { buildServer, createLog, type ServerLog, setupUrl } from "@croft/server";
import pc from "picocolors";

const DASHBOARD = fileURLToPath(new URL("./web/", import.meta.url));

export interface ServeOptions {
  readonly version: string;
  /** Resolves when the process should end. */
  readonly stop: Promise<string>;
}

export async function serve(config: Config, { version, stop }: ServeOptions): Promise<void> {
  const log = await createLog(config.log, { isTerminal: process.stderr.isTTY });
  const engine = await openEngine({ config, log, version });
  try {
    await serveHttp(engine, log, stop);
  } finally {
    await engine.close();
    log.info({}, "stopped");
  }
}

async function serveHttp(engine: Engine, log: ServerLog, stop: Promise<string>): Promise<void> {
  let url = "";
  let isDraining = false;
  const app = await buildServer({
    engine,
    log,
    dashboard: DASHBOARD,
    ownUrl: () => url,
    isDraining: () => isDraining,
  });
  const { config, directory } = engine;
  await listen(() => app.listen({ host: config.http.host, port: config.http.port }), config);
  url = ownUrlOf(config, app.server.address());
  await announceServer(directory.run, url);
  await printWelcome(engine, url);

  const reason = await stop;
  log.info({ reason }, "stopping");
  isDraining = true;
  await withdrawServer(directory.run);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), config.shutdown.drain);
  await app.close();
  clearTimeout(cutOff);
}

async function listen(start: () => Promise<unknown>, { http }: Config): Promise<void> {
  try {
    await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new EngineError(
      "address-in-use",
      `port ${http.port} of ${http.host} is taken: choose another with --http-port or CROFT_HTTP_PORT`,
      { cause: error },
    );
  }
}

/** An address that means "all of them" is no place to go to. */
function ownUrlOf({ http }: Config, address: ReturnType<Server["address"]>): string {
  if (http.publicUrl !== undefined) return new URL(http.publicUrl).origin;
  const port = typeof address === "object" && address !== null ? address.port : http.port;
  const host = ["0.0.0.0", "::"].includes(http.host) ? "localhost" : http.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function printWelcome(engine: Engine, url: string): Promise<void> {
  const { config, database, version } = engine;
  const mode = database.mode === "embedded" ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL";
  const lines = [
    `${pc.bold(pc.green("Croft"))} ${version} is ready`,
    "",
    `  Dashboard  ${pc.cyan(url)}`,
    `  Data       ${config.data}`,
    `  Database   ${mode}`,
  ];
  if (await isSetupNeeded(database)) {
    const { token, expiresAt } = await createSetupLink(engine);
    const until = expiresAt.toTimeString().slice(0, 5);
    lines.push(
      "",
      `  Create the first admin with this link, once, until ${until}:`,
      `  ${pc.cyan(setupUrl(url, token))}`,
    );
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}
