// The database opens with the schema up to date, or says why not without giving the password away.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { emptyDatabase, scratchDatabase } from "../../test/support/scratch-database.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { silentLog } from "../../test/support/silent-log.ts";
import { loadConfig } from "../config/load-config.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { openDatabase } from "./open-database.ts";
import { findPostmaster } from "./postmaster.ts";

async function open(url: string | undefined, path?: string) {
  const data = path ?? (await scratchDirectory());
  const env = url === undefined ? {} : { DATABASE_URL: url };
  const uid = process.getuid?.();
  const { config } = await loadConfig({ flags: { data }, env, directory: data, uid, home: data });
  return await openDatabase(config, await openDataDirectory(data), silentLog);
}

/** Opens it, and closes it when the test ends. */
async function opened(url: string | undefined, path?: string) {
  const database = await open(url, path);
  onTestFinished(() => database.close());
  return database;
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return await work.then(
    () => Promise.reject(new Error("it opened")),
    (error: Error) => error,
  );
}

function expectNoPassword(error: Error): void {
  expect(`${inspect(error, { depth: 9 })} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(
    /hunter2/,
  );
}

test("a server of the operator's opens with the schema and our limits on every connection", async () => {
  const { mode, pool } = await opened(await emptyDatabase());
  expect(mode).toBe("external");
  const { rows } = await pool.query(`select current_setting('application_name') as name,
    current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle,
    (select count(*)::int from croft.admin) as admins`);
  expect(rows).toEqual([{ name: "croft", statement: "5s", idle: "5s", admins: 0 }]);
});

test("a server at a unix socket is reached by each spelling that PostgreSQL's own tools know", async () => {
  const url = new URL(await scratchDatabase());
  const [socket, name] = [decodeURIComponent(url.hostname), url.pathname.slice(1)];
  for (const spelling of [
    `postgres://croft@${encodeURIComponent(socket)}/${name}`,
    `postgres://croft:password@/${name}?host=${socket}`,
    `postgresql:///${name}?host=${socket}&user=croft`,
  ]) {
    const { pool } = await opened(spelling);
    expect((await pool.query("select current_database() as name")).rows).toEqual([{ name }]);
  }
});

test("two processes that open one new database at the same moment both succeed", async () => {
  const url = await emptyDatabase();
  const databases = await Promise.all([opened(url), opened(url), opened(url)]);
  for (const { pool } of databases) await pool.query("select from croft.admin");
});

test("a lost connection is replaced by the next statement", async () => {
  const url = await scratchDatabase();
  const { pool } = await opened(url);
  const other = await opened(url);
  await pool.query("select 1");
  const lost = new Promise((resolve) => pool.once("error", resolve));
  await other.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  await lost;
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("time moves with croft.clock_offset, for one session and for a whole database", async () => {
  const url = await scratchDatabase();
  const { pool } = await opened(url);
  const aheadOf = async (asked: typeof pool) =>
    (await asked.query("select extract(epoch from croft.now() - now())::int as seconds")).rows[0];
  expect(await aheadOf(pool)).toEqual({ seconds: 0 });
  await pool.query("set croft.clock_offset = '1 hour'");
  expect(await aheadOf(pool)).toEqual({ seconds: 3600 });
  await pool.query("set croft.clock_offset = '-1 day'");
  expect(await aheadOf(pool)).toEqual({ seconds: -86_400 });
  await pool.query("set croft.clock_offset = ''");
  expect(await aheadOf(pool)).toEqual({ seconds: 0 });

  const name = new URL(url).pathname.slice(1);
  await pool.query(`alter database ${name} set croft.clock_offset = '2 hours'`);
  expect(await aheadOf((await opened(url)).pool)).toEqual({ seconds: 7200 });
});

test("an unknown database is told at once, without the password", async () => {
  const url = inject("databaseUrl")
    .replace("croft@", "croft:hunter2@")
    .replace(/croft$/, "nowhere");
  const error = await failureOf(open(url));
  expect(error).toMatchObject({
    code: "database-unreachable",
    message: expect.stringMatching(/^cannot connect to database 'nowhere' at .*does not exist$/),
  });
  expectNoPassword(error);
});

test("a host that does not exist is told at once, without the password", async () => {
  const error = await failureOf(open("postgres://croft:hunter2@host.invalid/croft"));
  expect(error).toMatchObject({ code: "database-unreachable" });
  expectNoPassword(error);
});

test("a server that answers nothing is given up after a while, without the password", async () => {
  const error = await failureOf(open("postgres://croft:hunter2@127.0.0.1:1/croft"));
  expect(error).toMatchObject({
    code: "database-unreachable",
    message:
      "cannot connect to database 'croft' at '127.0.0.1:1': connect ECONNREFUSED 127.0.0.1:1",
  });
  expectNoPassword(error);
});

test.each(["postgres://croft:hunter2@db:port/croft", "postgres://croft:hunter2@[::1/croft"])(
  "a connection string that cannot be read (%s) is a wrong setting, not a crash",
  async (url) => {
    const error = await failureOf(open(url));
    expect(error).toMatchObject({ name: "EngineError", code: "config-invalid" });
    expectNoPassword(error);
  },
);

test("a server that starts at the same moment is waited for, and a wrong password is told at once", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const host = encodeURIComponent(join(directory.postgres, "socket"));
  const waiting = opened(`postgres://croft@${host}/postgres`);
  const server = await startEmbeddedPostgres(directory, silentLog);
  onTestFinished(() => server.stop());
  const { pool } = await waiting;
  await pool.query("create role guest login password 'right'");
  await writeFile(join(directory.postgres, "data/pg_hba.conf"), "local all all scram-sha-256\n");
  await pool.query("select pg_reload_conf()");

  const error = await failureOf(open(`postgres://guest:hunter2@${host}/postgres`));
  expect(error).toMatchObject({
    code: "database-unreachable",
    message: expect.stringContaining('password authentication failed for user "guest"'),
  });
  expectNoPassword(error);
});

test("the embedded database has one owner, and a failing start leaves no server behind", async () => {
  const data = await scratchDirectory();
  const first = await open(undefined, data);
  expect(first.mode).toBe("embedded");
  await expect(open(undefined, data)).rejects.toMatchObject({ code: "data-directory-in-use" });
  await first.pool.query("insert into croft.migration values (9999, '9999_future.sql', 'x')");
  await first.close();

  await expect(open(undefined, data)).rejects.toMatchObject({ code: "schema-too-new" });
  expect(await findPostmaster(join(data, "postgres/data"))).toBeUndefined();
  await expect(open(undefined, data)).rejects.toMatchObject({ code: "schema-too-new" });
});
