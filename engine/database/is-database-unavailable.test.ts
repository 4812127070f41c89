// "The database is away for now" is told from "the statement is wrong", on real errors.
import { once } from "node:events";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { isDatabaseFull, isDatabaseUnavailable } from "./is-database-unavailable.ts";

function poolOf(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return pool;
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => Promise.reject(new Error("nothing failed")),
    (error: unknown) => error,
  );
}

test("nothing listens at the port", async () => {
  const pool = poolOf({ host: "127.0.0.1", port: 1, user: "croft" });
  expect(isDatabaseUnavailable(await errorOf(pool.query("select 1")))).toBe(true);
});

test("the socket is not there", async () => {
  const pool = poolOf({ host: "/nowhere", user: "croft" });
  expect(isDatabaseUnavailable(await errorOf(pool.query("select 1")))).toBe(true);
});

test("the server takes the connection and says nothing", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const pool = poolOf({ host: "127.0.0.1", port, user: "croft", connectionTimeoutMillis: 50 });
  expect(isDatabaseUnavailable(await errorOf(pool.query("select 1")))).toBe(true);
});

test("all connections are in use for too long", async () => {
  const connectionString = await scratchDatabase();
  const pool = poolOf({ connectionString, max: 1, connectionTimeoutMillis: 1500 });
  const held = await pool.connect();
  expect(isDatabaseUnavailable(await errorOf(pool.query("select 1")))).toBe(true);
  held.release();
});

test("the connection breaks while a statement runs, and for the statements after it", async () => {
  const pool = poolOf({ connectionString: await scratchDatabase() });
  const client = await pool.connect();
  client.on("error", () => {});
  const cut = client.query("select pg_terminate_backend(pg_backend_pid())");
  expect(isDatabaseUnavailable(await errorOf(cut))).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(client.query("select 1")))).toBe(true);
  client.release(true);
});

test("a transaction is ended because nothing came for too long, and for the statements after it", async () => {
  const pool = poolOf({ connectionString: await scratchDatabase() });
  const client = await pool.connect();
  const ended = once(client, "error");
  await client.query("set idle_in_transaction_session_timeout = 20");
  await client.query("begin");
  expect(isDatabaseUnavailable((await ended)[0])).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(client.query("select 1")))).toBe(true);
  client.release(true);
});

test.each([
  ["EHOSTUNREACH", "connect"],
  ["ENETUNREACH", "connect"],
  ["EAI_AGAIN", "getaddrinfo"],
  ["ECONNRESET", "read"],
  ["EPIPE", "write"],
  ["ETIMEDOUT", "connect"],
])("%s of '%s' on the way to the server", (code, syscall) => {
  const error = Object.assign(new Error(code), { code, syscall });
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test.each([
  ["08006", true],
  ["53300", true],
  ["57P01", true],
  ["57P03", true],
  ["57014", true],
  ["25P03", true],
  ["40001", false],
  ["23505", false],
])("PostgreSQL's own code %s: %s", (code, expected) => {
  expect(isDatabaseUnavailable(Object.assign(new Error("said the server"), { code }))).toBe(
    expected,
  );
});

test("a wrong statement is our mistake", async () => {
  const pool = poolOf({ connectionString: await scratchDatabase() });
  expect(isDatabaseUnavailable(await errorOf(pool.query("selekt 1")))).toBe(false);
  expect(isDatabaseUnavailable(await errorOf(pool.query("select 1 / 0")))).toBe(false);
});

test("a missing file is no missing database", async () => {
  for (const work of [
    ...[readFile("/nowhere/file"), readdir("/nowhere"), writeFile("/nowhere/file", "x")],
    symlink("a", "/nowhere/link"),
  ]) {
    expect(isDatabaseUnavailable(await errorOf(work))).toBe(false);
  }
});

test("no address of its host answers", async () => {
  const fail = (code: string) => Object.assign(new Error(code), { code, syscall: "connect" });
  const both = new AggregateError([fail("ECONNREFUSED"), fail("ENETUNREACH")]);
  expect(isDatabaseUnavailable(Object.assign(both, { code: "ECONNREFUSED" }))).toBe(true);
  expect(isDatabaseUnavailable(new AggregateError([new Error("other")]))).toBe(false);
});

test("a missing program is no missing database", () => {
  const error = Object.assign(new Error("spawn git ENOENT"), {
    ...{ code: "ENOENT", syscall: "spawn git" },
  });
  expect(isDatabaseUnavailable(error)).toBe(false);
});

test("a full disk of the database is told from other reasons", () => {
  const said = (code: string) => Object.assign(new Error("said the server"), { code });
  expect([isDatabaseFull(said("53100")), isDatabaseUnavailable(said("53100"))]).toEqual([
    ...[true, true],
  ]);
  expect(["53300", "ENOSPC"].map((code) => isDatabaseFull(said(code)))).toEqual([false, false]);
});

test.each([undefined, null, "ECONNREFUSED", { code: "ECONNREFUSED" }, new Error("other")])(
  "%s says nothing about the database",
  (thing) => {
    expect(isDatabaseUnavailable(thing)).toBe(false);
  },
);
