// How it stands with the database is told without starting one, and without a password.
import { join } from "node:path";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { loadConfig } from "../config/load-config.ts";
import { inspectDatabase } from "./inspect-database.ts";

async function inspect(url: string | undefined, isUsable = true) {
  const directory = await scratchDirectory();
  const env = { DATABASE_URL: url };
  const flags = { data: join(directory, "data") };
  const { config } = await loadConfig({ flags, env, directory, uid: 1000, home: directory });
  return await inspectDatabase(config, { directory, isUsable });
}

test("a server of the operator's is asked for its version", async () => {
  expect(await inspect(inject("databaseUrl"))).toMatchObject({
    name: "database",
    outcome: "ok",
    detail: expect.stringMatching(/^PostgreSQL \d+\.\d+ of DATABASE_URL answers$/),
  });
});

test("one that does not answer fails, and the password is not told", async () => {
  const check = await inspect("postgres://croft:hunter2@127.0.0.1:1/croft");
  expect(check).toMatchObject({
    outcome: "failed",
    detail: expect.stringContaining("cannot connect to database 'croft' at '127.0.0.1:1'"),
  });
  expect(JSON.stringify(check)).not.toContain("hunter2");
});

test("the embedded one need not be there yet", async () => {
  expect(await inspect(undefined)).toMatchObject({
    outcome: "ok",
    detail: "embedded PostgreSQL: the first 'croft serve' makes it",
  });
});

test("the embedded one has no place without a data directory", async () => {
  expect(await inspect(undefined, false)).toMatchObject({ outcome: "warning" });
});

test("a transaction that keeps events from their readers is named", async () => {
  const url = inject("databaseUrl");
  const client = new pg.Client({ connectionString: url, application_name: "forgotten" });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  const { rows } = await client.query("select pg_backend_pid() as pid, pg_current_xact_id()");
  const named = `a transaction of pid ${rows[0].pid} (forgotten) has been open for`;
  await waitUntil("the warning", async () => (await inspect(url)).detail.includes(named), 30_000);
  await client.query("rollback");
  await waitUntil("its end", async () => !(await inspect(url)).detail.includes(named), 30_000);
});
