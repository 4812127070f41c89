// Runs the bundled PostgreSQL as a child: starts or adopts it, restarts it when it dies, stops it last.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "@croft/git";
import pg from "pg";
import { type DataDirectory, sweepStaging } from "../data-directory/data-directory.ts";
import { firstClosedTo } from "../data-directory/first-closed-to.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { EngineError } from "../engine-error.ts";
import type { Log } from "../log.ts";
import { type EmbeddedConnection, embeddedConnection, USER } from "./embedded-connection.ts";
import { initialiseCluster } from "./initialise-cluster.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { findPostmaster, removeStalePidFile, watchPostmaster } from "./postmaster.ts";
import { serverParameters } from "./server-parameters.ts";
import { makeSocketDirectory } from "./socket-directory.ts";

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  stop(): Promise<void>;
}

const POLL_MS = 20;
const WATCH_MS = 500;
/** A fast shutdown writes a checkpoint; after this long it is cut off, and the next start recovers. */
const STOP_LIMIT_MS = 20_000;
/** After a kill the old server's backends may hold its memory for a moment, and a new one ends at once until then. */
const START_LIMIT_MS = 15_000;
const RELAUNCH_MS = 200;
const REFUSAL_LIMIT_MS = 5000;
const CONNECT_LIMIT_MS = 3000;
const SAY_EVERY_MS = 10_000;
const RESTART_DELAY_MS_MAX = 10_000;
const LOG_BYTES_MAX = 10 * 1024 * 1024;

interface Cluster {
  readonly directory: DataDirectory;
  readonly binaries: PostgresBinaries;
  readonly path: string;
  readonly socketDirectory: string;
  readonly logPath: string;
}

/** The caller owns the data directory: nobody else starts or stops its server. */
export async function startEmbeddedPostgres(
  directory: DataDirectory,
  log: Log,
  signal?: AbortSignal,
): Promise<EmbeddedPostgres> {
  if (directory.separatesUsers) await requirePassage(directory.path);
  await sweepStaging(directory);
  const binaries = await findPostgresBinaries(directory);
  const cluster: Cluster = {
    directory,
    binaries,
    path: join(directory.postgres, "data"),
    socketDirectory: await makeSocketDirectory(directory),
    logPath: join(directory.postgres, "postgres.log"),
  };
  await initialiseCluster(directory, binaries, cluster.path);
  try {
    await bringUp(cluster, log, signal);
    await createDatabase(cluster);
  } catch (error) {
    await shutDown(cluster); // also on Ctrl-C during the start: nothing may go on alone
    throw error;
  }
  const keeper = keepRunning(cluster, log);
  return {
    connection: embeddedConnection(cluster.socketDirectory),
    stop: async () => {
      await keeper.end();
      await shutDown(cluster);
    },
  };
}

async function requirePassage(path: string): Promise<void> {
  const closed = await firstClosedTo(path, POSTGRES_UID);
  if (closed === undefined) return;
  throw new EngineError(
    "data-directory-unusable",
    `cannot run PostgreSQL in data directory '${path}': as root Croft runs it as user ${POSTGRES_UID}, who may not enter '${closed}'; choose another with CROFT_DATA`,
  );
}

/** A start that is no longer wanted takes the server along that it has just launched, though it has no pid file yet. */
async function bringUp(cluster: Cluster, log: Log, signal?: AbortSignal): Promise<void> {
  const launched: ChildProcess[] = [];
  try {
    await waitUntilUp(cluster, { log, signal, launched });
  } catch (error) {
    for (const child of launched) if (!hasEnded(child)) child.kill("SIGINT");
    throw error;
  }
}

interface Start {
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
  /** Every server that was started on the way; the last one may live. */
  readonly launched: ChildProcess[];
}

/**
 * Until the server accepts connections. One that survived a crash of Croft is adopted; one that is still recovering or
 * shutting down is waited for; a second one cannot start beside it, because PostgreSQL guards its own directory.
 */
async function waitUntilUp(cluster: Cluster, { log, signal, launched }: Start): Promise<void> {
  let firstEndedAt: number | undefined;
  let refusingSince: number | undefined;
  let sayAt = Date.now() + SAY_EVERY_MS;
  for (;;) {
    signal?.throwIfAborted();
    const running = await findPostmaster(cluster.path);
    const child = launched.at(-1);
    if (running?.ready) {
      const refusal = await whyRefused(cluster);
      if (refusal === undefined) return;
      refusingSince ??= Date.now();
      // It says that it is ready and cannot be reached, e.g. because its socket was removed: another will do.
      if (Date.now() - refusingSince > REFUSAL_LIMIT_MS) {
        log.warn({ reason: refusal }, "postgresql does not accept connections: restarting it");
        await shutDown(cluster);
        refusingSince = undefined;
      }
    } else if (running === undefined && (child === undefined || hasEnded(child))) {
      if (child !== undefined) {
        firstEndedAt ??= Date.now();
        if (Date.now() - firstEndedAt > START_LIMIT_MS) throw await failure(cluster);
        await delay(RELAUNCH_MS, undefined, { signal });
      }
      await removeStalePidFile(cluster.path);
      launched.push(await launch(cluster));
    }
    if (Date.now() > sayAt) {
      log.info({ pid: running?.pid }, "still waiting for postgresql, which may be recovering");
      sayAt = Date.now() + SAY_EVERY_MS;
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

/** In a session of its own: Ctrl-C at the terminal must reach Croft alone, which stops its database last. */
async function launch({ directory, binaries, path, socketDirectory, logPath }: Cluster) {
  const parameters = serverParameters(path, socketDirectory);
  const args = Object.entries(parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const output = await openLog(logPath);
  try {
    const child = spawn(binaries.postgres, ["-D", path, ...args], {
      detached: true,
      stdio: ["ignore", output.fd, output.fd],
      env: { LC_ALL: "C", TZ: "UTC" },
      cwd: "/",
      ...(directory.separatesUsers ? { uid: POSTGRES_UID, gid: POSTGRES_UID } : {}),
    });
    child.unref();
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    return child;
  } finally {
    await output.close();
  }
}

async function openLog(path: string) {
  if (existsSync(path) && (await stat(path)).size > LOG_BYTES_MAX) {
    await rename(path, `${path}.old`);
  }
  return await open(path, "a", 0o600);
}

/** Undefined when it accepts. A server left over from before an update is ended, so that the new one can start. */
async function whyRefused(cluster: Cluster): Promise<string | undefined> {
  const { socketDirectory, binaries } = cluster;
  const client = new pg.Client({
    host: socketDirectory,
    user: USER,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  client.on("error", () => {}); // the query below fails with it
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    if (rows[0]?.server_version === binaries.version) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => {}); // it never connected
  }
  await shutDown(cluster);
  return "it is of another version";
}

async function createDatabase({ socketDirectory }: Cluster): Promise<void> {
  const client = new pg.Client({
    host: socketDirectory,
    user: USER,
    database: "postgres",
  });
  client.on("error", () => {}); // a connection lost later fails the query in progress
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [USER]);
    if (rowCount === 0) await client.query(`create database ${USER}`);
  } finally {
    await client.end();
  }
}

/** Looks twice a second whether the server lives, ours or adopted alike, and brings it up again if not. */
function keepRunning(cluster: Cluster, log: Log) {
  const ending = new AbortController();
  const watch = async () => {
    let restarts = 0;
    const isRunning = watchPostmaster(cluster.path);
    while (!ending.signal.aborted) {
      await delay(WATCH_MS, undefined, { ref: false, signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      try {
        if (await isRunning()) continue;
        log.error({ restarts }, "postgresql has ended: starting it again");
        await bringUp(cluster, log, ending.signal);
        restarts = 0;
      } catch (error) {
        if (ending.signal.aborted) return;
        const waitMs = Math.min(1000 * 2 ** restarts++, RESTART_DELAY_MS_MAX);
        log.error({ err: error, waitMs }, "postgresql does not start");
        await delay(waitMs, undefined, { ref: false, signal: ending.signal }).catch(() => {});
      }
    }
  };
  const watching = watch();
  return {
    end: async () => {
      ending.abort();
      await watching;
    },
  };
}

/** Until the process is gone: PostgreSQL removes its pid file a moment before it ends. */
async function shutDown({ path }: Cluster): Promise<void> {
  const running = await findPostmaster(path);
  if (running === undefined) return;
  const cutOffAt = Date.now() + STOP_LIMIT_MS;
  let isCutOff = false;
  sendSignal(running.pid, "SIGINT"); // "fast": ends sessions, writes a checkpoint
  while (isAlive(running.pid)) {
    if (Date.now() > cutOffAt && !isCutOff) {
      isCutOff = true;
      sendSignal(running.pid, "SIGQUIT");
    }
    await delay(POLL_MS);
  }
}

/** A dead process that nobody has collected yet counts as gone. */
function isAlive(pid: number): boolean {
  return sendSignal(pid, 0) && readProcessState(pid)?.isAlive !== false;
}

/** False when there is no such process any more. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function failure({ logPath }: Cluster): Promise<EngineError> {
  const lines = (await readFile(logPath, "utf8")).trimEnd().split("\n").slice(-5);
  return new EngineError(
    "postgres-failed",
    `the embedded PostgreSQL does not start; its log '${logPath}' ends with: ${lines.join(" | ")}`,
  );
}
