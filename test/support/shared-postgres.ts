// The one PostgreSQL of a test run: fast, because nobody needs its data after a crash, with a database to copy.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, openEngine } from "@croft/engine";
import pg from "pg";
import { migrate } from "../../engine/database/migrate.ts";
import { readMigrations } from "../../engine/database/read-migrations.ts";
import { projectRoot } from "../../scripts/source-files.ts";
import { silentLog } from "./silent-log.ts";
import { temporaryRoot } from "./temporary-root.ts";

/** Has the schema and no more: a copy of it is made in a fraction of the time that the migrations take. */
export const MIGRATED_DATABASE = "migrated";

export interface SharedPostgres {
  /** Connection string of the server's first database. */
  readonly url: string;
  /** Everything of it lies below. */
  readonly root: string;
  /** What tests made and did not remove. */
  leftDatabases(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startSharedPostgres(): Promise<SharedPostgres> {
  const root = temporaryRoot("croft-postgres-");
  const { config } = await loadConfig({
    ...{ flags: { data: join(root, "shared") }, env: {}, directory: root, home: root },
    uid: process.getuid?.(),
  });
  const engine = await openEngine({ config, log: silentLog, version: "test" });
  const { pool } = engine.database;
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
    await pool.query(`alter system set ${setting} = off`);
  }
  await pool.query("select pg_reload_conf()");
  const url = `postgres://croft@${encodeURIComponent(pool.options.host ?? "")}/croft`;
  await pool.query(`create database ${MIGRATED_DATABASE}`);
  await migrateTo(url.replace(/croft$/, MIGRATED_DATABASE));
  return {
    ...{ url, root },
    leftDatabases: async () => {
      const sql = "select datname from pg_database where datname like 'test_%'";
      const { rows } = await pool.query<{ datname: string }>(sql);
      return rows.map(({ datname }) => `database ${datname}`);
    },
    close: async () => {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function migrateTo(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await migrate(client, readMigrations(join(projectRoot, "engine/database/migrations")), silentLog);
  await client.end();
}
