// Brings the schema up to date: once, however many processes start at the same moment.
import type pg from "pg";
import { EngineError } from "../engine-error.ts";
import type { Log } from "../log.ts";
import type { Migration } from "./read-migrations.ts";

/** Any number no other program is likely to use in the same database. */
const LOCK_KEY = 727_563_818;

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

/** One transaction for all, so that a kill in the middle leaves the schema as it was. */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  log: Log,
): Promise<void> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1)", [LOCK_KEY]);
    await client.query(`
      create schema if not exists croft;
      create table if not exists croft.migration (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`);
    const { rows: applied } = await client.query<AppliedMigration>(
      "select number, name, checksum from croft.migration order by number",
    );
    checkApplied(applied, migrations);
    for (const migration of migrations.slice(applied.length)) {
      await client.query(migration.sql);
      await client.query(
        "insert into croft.migration (number, name, checksum) values ($1, $2, $3)",
        [migration.number, migration.name, migration.checksum],
      );
      log.info({ migration: migration.name }, "migration applied");
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {}); // on a broken connection the server does it alone
    throw error;
  }
}

function checkApplied(applied: readonly AppliedMigration[], known: readonly Migration[]): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.number > known.length) {
    throw new EngineError(
      "schema-too-new",
      `the database has migration '${newest.name}', this Croft knows only ${known.length}: start the newer Croft that made it`,
    );
  }
  for (const [index, { name, checksum }] of applied.entries()) {
    if (known[index]?.checksum !== checksum) {
      throw new EngineError(
        "migration-changed",
        `migration '${name}' was applied in another wording than this Croft has: released migrations must never be edited`,
      );
    }
  }
}
