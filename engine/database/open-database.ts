// Opens the database, embedded or the operator's, with the schema up to date.
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Config } from "../config/config.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { ownDataDirectory } from "../data-directory/own-data-directory.ts";
import { EngineError } from "../engine-error.ts";
import { adoptEvents } from "../events/adopt-events.ts";
import { type HeldBack, readHeldBack } from "../events/read-held-back.ts";
import type { Log } from "../log.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./read-migrations.ts";
import type { Tables } from "./tables.ts";

export interface Database {
  readonly mode: "embedded" | "external";
  /** For typed reads and writes. */
  readonly kysely: Kysely<Tables>;
  /** For SQL that decides something. */
  readonly pool: pg.Pool;
  /** How to reach it, for a connection that is kept for one purpose. Holds a password: never to be logged. */
  readonly target: pg.ClientConfig;
  close(): Promise<void>;
}

const MIGRATIONS = fileURLToPath(new URL("./migrations/", import.meta.url));
/** Longer transactions hold back vacuum and every reader of the event stream. */
const STATEMENT_LIMIT_MS = 5000;
/** Longer than any statement may take: a connection that is silent for this long is dead. */
const ANSWER_LIMIT_MS = 2 * STATEMENT_LIMIT_MS;
const CONNECT_LIMIT_MS = 5000;
/** An operator's server may be starting at the same moment as Croft. */
const REACH_LIMIT_MS = 10_000;
const VERSION_MIN = 140_000;

export async function openDatabase(
  config: Config,
  directory: DataDirectory,
  log: Log,
  signal?: AbortSignal,
): Promise<Database> {
  const { url } = config.database;
  if (url !== undefined) {
    const target = { connectionString: url };
    return await connectDatabase("external", target, { config, log, signal, end: async () => {} });
  }
  const ownership = await ownDataDirectory(directory);
  try {
    const server = await startEmbeddedPostgres(directory, log, signal);
    const end = async () => {
      await server.stop();
      await ownership.release();
    };
    try {
      return await connectDatabase("embedded", server.connection, { config, log, signal, end });
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

export interface ConnectContext {
  readonly config: Config;
  readonly log: Log;
  readonly signal: AbortSignal | undefined;
  /** What is to be done after the last connection is closed. */
  readonly end: () => Promise<void>;
}

/** To a server that runs. */
export async function connectDatabase(
  mode: Database["mode"],
  target: pg.ClientConfig,
  { config, log, signal, end }: ConnectContext,
): Promise<Database> {
  await prepare(target, log, signal);
  const settings: pg.ClientConfig = {
    ...target,
    application_name: "croft",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...settings, max: config.database.poolSize });
  // An idle connection broke; the pool has dropped it and the next query opens another.
  pool.on("error", (error) => log.warn({ err: error }, "database connection lost"));
  // The same while it is in use: its query fails, but without a listener the process would end.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    mode,
    pool,
    target: settings,
    kysely: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    close: async () => {
      await pool.end();
      await end();
    },
  };
}

/** Asks the operator's server once and changes nothing; fails as a start would. */
export async function askServer(
  url: string,
): Promise<{ readonly version: string; readonly heldBack: HeldBack | undefined }> {
  const client = await reach({ connectionString: url, query_timeout: CONNECT_LIMIT_MS }, 0);
  try {
    return { version: await requireVersion(client), heldBack: await readHeldBack(client) };
  } finally {
    await client.end();
  }
}

async function prepare(target: pg.ClientConfig, log: Log, signal?: AbortSignal): Promise<void> {
  const client = await reach(target, REACH_LIMIT_MS, signal);
  try {
    await requireVersion(client);
    await migrate(client, readMigrations(MIGRATIONS), log);
    await adoptEvents(client);
  } finally {
    await client.end();
  }
}

async function requireVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ version: number; text: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as text",
  );
  const { version = 0, text = "of an unknown version" } = rows[0] ?? {};
  if (version >= VERSION_MIN) return text;
  throw new EngineError(
    "database-too-old",
    `the database is PostgreSQL ${text}; Croft needs 14 or newer`,
  );
}

async function reach(
  target: pg.ClientConfig,
  limitMs: number,
  signal?: AbortSignal,
): Promise<pg.Client> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const client = clientOf(target);
    client.on("error", () => {}); // a connection lost later fails the query in progress
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() >= giveUpAt || isFinal(error)) {
        throw new EngineError(
          "database-unreachable",
          `cannot connect to database '${client.database}' at '${client.host}:${client.port}': ${reasonOf(error)}`,
          { cause: error },
        );
      }
      await delay(250, undefined, { signal });
    }
  }
}

/** The driver throws with the whole connection string in its error: neither is passed on. */
function clientOf(target: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client({ ...target, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  } catch {
    throw new EngineError(
      "config-invalid",
      "invalid configuration: database.url cannot be read; encode special characters of the password",
    );
  }
}

/** A name with several addresses fails with one error for each, and none of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

/** Wrong password, unknown role or database: waiting does not help. */
function isFinal(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && ["28000", "28P01", "3D000", "ENOTFOUND"].includes(code);
}
