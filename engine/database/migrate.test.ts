// The schema is brought up to date once, by however many processes, or left as it was.
import { createHash } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { emptyDatabase } from "../../test/support/scratch-database.ts";
import { silentLog } from "../../test/support/silent-log.ts";
import { migrate } from "./migrate.ts";
import { type Migration, readMigrations } from "./read-migrations.ts";

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // one test cuts its own connection
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function migration(number: number, sql: string): Migration {
  const name = `${String(number).padStart(4, "0")}_test.sql`;
  return { number, name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
}

async function namesIn(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = $1 order by 1",
    [schema],
  );
  return rows.map(({ name }) => name);
}

const one = migration(1, "create table croft.one (id int)");
const two = migration(2, "create table croft.two (id int)");

test("an empty database gets the whole schema", async () => {
  const client = await connect(await emptyDatabase());
  const migrations = readMigrations(join(import.meta.dirname, "migrations"));
  await migrate(client, migrations, silentLog);
  expect(await namesIn(client, "croft")).toEqual(
    expect.arrayContaining(["admin", "migration", "session", "setup_link", "sign_in_limit"]),
  );
  const { rows } = await client.query("select number, name, checksum from croft.migration");
  expect(rows).toEqual(
    migrations.map(({ number, name, checksum }) => ({ number, name, checksum })),
  );
});

test("a second time changes nothing, and only what is new is applied later", async () => {
  const client = await connect(await emptyDatabase());
  const applied: unknown[] = [];
  const log = { ...silentLog, info: (details: object) => void applied.push(details) };
  await migrate(client, [one], log);
  await migrate(client, [one], log);
  await migrate(client, [one, two], log);
  expect(applied).toEqual([{ migration: one.name }, { migration: two.name }]);
  expect(await namesIn(client, "croft")).toEqual(["migration", "one", "two"]);
});

test("8 processes at the same moment apply every migration once", async () => {
  const url = await emptyDatabase();
  const clients = await Promise.all(Array.from({ length: 8 }, () => connect(url)));
  const applied: unknown[] = [];
  const log = { ...silentLog, info: (details: object) => void applied.push(details) };
  await Promise.all(clients.map((client) => migrate(client, [one, two], log)));
  expect(applied).toEqual([{ migration: one.name }, { migration: two.name }]);
});

test("a database that a newer Croft migrated is left alone", async () => {
  const client = await connect(await emptyDatabase());
  await migrate(client, [one, two], silentLog);
  await expect(migrate(client, [one], silentLog)).rejects.toMatchObject({
    code: "schema-too-new",
    message: expect.stringContaining("'0002_test.sql', this Croft knows only 1"),
  });
  expect(await namesIn(client, "croft")).toContain("two");
});

test("a migration that was edited after it was applied is refused by name", async () => {
  const client = await connect(await emptyDatabase());
  await migrate(client, [one], silentLog);
  const edited = migration(1, "create table croft.one (id bigint)");
  await expect(migrate(client, [edited, two], silentLog)).rejects.toMatchObject({
    code: "migration-changed",
    message: expect.stringContaining("'0001_test.sql'"),
  });
  expect(await namesIn(client, "croft")).toEqual(["migration", "one"]);
});

test("a migration that fails leaves nothing behind, of itself and of those before it", async () => {
  const client = await connect(await emptyDatabase());
  const broken = migration(3, "create table croft.three (id int); select 1 / 0;");
  await expect(migrate(client, [one, two, broken], silentLog)).rejects.toThrow("division by zero");
  expect(await namesIn(client, "croft")).toEqual([]);

  await migrate(client, [one, two], silentLog); // the same connection is fit for use
  expect(await namesIn(client, "croft")).toEqual(["migration", "one", "two"]);
});

test("a process that dies in the middle leaves nothing behind and frees the way for the next", async () => {
  const url = await emptyDatabase();
  const dying = await connect(url);
  const fatal = migration(2, "select pg_terminate_backend(pg_backend_pid())");
  await expect(migrate(dying, [one, fatal], silentLog)).rejects.toThrow();

  const next = await connect(url);
  expect(await namesIn(next, "croft")).toEqual([]);
  await migrate(next, [one, two], silentLog);
  expect(await namesIn(next, "croft")).toEqual(["migration", "one", "two"]);
});

test("when the connection breaks in the middle, the error tells that and not what came after", async () => {
  const client = await connect(await emptyDatabase());
  const fatal = migration(1, "select pg_terminate_backend(pg_backend_pid())");
  await expect(migrate(client, [fatal], silentLog)).rejects.toMatchObject({ code: "57P01" });
});
