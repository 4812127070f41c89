// Uses the embedded database of a data directory beside the `croft serve` that owns it.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "@croft/git";
import type { Config } from "../config/config.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { findServer } from "../data-directory/server-address.ts";
import { EngineError } from "../engine-error.ts";
import type { Log } from "../log.ts";
import { embeddedConnection } from "./embedded-connection.ts";
import { connectDatabase, type Database } from "./open-database.ts";
import { findPostmaster } from "./postmaster.ts";
import { findSocketDirectory } from "./socket-directory.ts";

/** A server that is starting is waited for; a first start makes the database. */
const START_LIMIT_MS = 30_000;
/** A database that has died is started again by its server within this time. */
const RESTART_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Closing it leaves the server alone. */
export async function joinDatabase(
  config: Config,
  directory: DataDirectory,
  log: Log,
  signal?: AbortSignal,
): Promise<Database> {
  const target = embeddedConnection(await findSocketDirectory(directory));
  return await connectDatabase("embedded", target, { config, log, signal, end: async () => {} });
}

/** Until a server runs on the data directory, with its database; changes nothing, and fails at once if none is to come. */
export async function waitForServer(data: string, log: Log, signal?: AbortSignal): Promise<void> {
  const begunAt = Date.now();
  let isToldOf = false;
  for (;;) {
    signal?.throwIfAborted();
    const state = await stateOf(data);
    if (state === "running") return;
    const waitedMs = Date.now() - begunAt;
    if (state === "absent" || (state === "starting" && waitedMs > START_LIMIT_MS)) {
      throw new EngineError(
        "unavailable",
        `no 'croft serve' runs on data directory '${data}': start one, name another directory with CROFT_DATA, or a database with DATABASE_URL`,
      );
    }
    if (state === "without-database" && waitedMs > RESTART_LIMIT_MS) throw noDatabase(data);
    if (!isToldOf) log.info({ data }, "waiting for 'croft serve'");
    isToldOf = true;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

type ServerState = "absent" | "starting" | "without-database" | "running";

async function stateOf(data: string): Promise<ServerState> {
  try {
    const server = await findServer(join(data, "run"));
    if (server === undefined) return (await isServeStarting(data)) ? "starting" : "absent";
    const cluster = join(data, "postgres/data");
    if (!existsSync(cluster)) throw noDatabase(data);
    return (await findPostmaster(cluster)) === undefined ? "without-database" : "running";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    throw new EngineError(
      "data-directory-unusable",
      `user ${process.getuid?.()} may not read data directory '${data}': run the worker as the user of 'croft serve'`,
      { cause: error },
    );
  }
}

/** It writes its number down first, and says last where it listens. One that is stopping looks the same. */
export async function isServeStarting(data: string): Promise<boolean> {
  const text = await readFile(join(data, "locks/serve"), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return "";
      throw error;
    },
  );
  const pid = Number(text.trim());
  return pid > 1 && readProcessState(pid)?.isAlive === true;
}

function noDatabase(data: string): EngineError {
  return new EngineError(
    "unavailable",
    `the 'croft serve' on data directory '${data}' does not run the embedded database: give the worker the same DATABASE_URL`,
  );
}
