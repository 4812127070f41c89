// The embedded database is joined while a server runs there, and nothing is made or stopped by those who join.
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { silentLog } from "../../test/support/silent-log.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { loadConfig } from "../config/load-config.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { announceServer, withdrawServer } from "../data-directory/server-address.ts";
import { openEngine } from "../engine.ts";
import { joinDatabase, waitForServer } from "./join-database.ts";
import { openDatabase } from "./open-database.ts";
import { findPostmaster } from "./postmaster.ts";

async function configOf(data: string, env: Record<string, string> = {}) {
  const uid = process.getuid?.();
  return (await loadConfig({ flags: { data }, env, directory: data, uid, home: data })).config;
}

/** As `croft serve` does, in this process. */
async function own(data: string) {
  const config = await configOf(data);
  const directory = await openDataDirectory(data);
  const database = await openDatabase(config, directory, silentLog);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await withdrawServer(directory.run);
    await database.close();
  };
  onTestFinished(close);
  return { config, directory, database, close };
}

test("what one writes the other reads, and the server outlives those who leave", async () => {
  const data = await scratchDirectory();
  const { config, directory, database } = await own(data);
  await announceServer(directory.run, "http://127.0.0.1:1");
  await waitForServer(data, silentLog);
  const joined = await joinDatabase(config, directory, silentLog);
  expect(joined.mode).toBe("embedded");
  await joined.pool.query("create table croft.shared as select 7 as seven");
  expect((await database.pool.query("select seven from croft.shared")).rows).toEqual([
    { seven: 7 },
  ]);
  const before = await findPostmaster(join(data, "postgres/data"));
  await joined.close();
  expect(await findPostmaster(join(data, "postgres/data"))).toEqual(before);
  await database.pool.query("select 1");
});

test("without a server the way out is told at once, and no data directory is made", async () => {
  const data = join(await scratchDirectory(), "typed-wrong");
  const config = await configOf(data);
  const opening = openEngine({ config, log: silentLog, version: "test", role: "worker" });
  await expect(opening).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`no 'croft serve' runs on data directory '${data}': start`),
  });
  expect(existsSync(data)).toBe(false);
});

test("the leftovers of a killed server are no server", async () => {
  const data = await scratchDirectory();
  const { run, locks } = await openDataDirectory(data);
  const gone = { url: "http://127.0.0.1:1", pid: 2 ** 22 + 1, processStart: "1" };
  await writeFile(join(run, "server.json"), JSON.stringify(gone));
  await writeFile(join(locks, "serve"), `${gone.pid}\n`);
  await expect(waitForServer(data, silentLog)).rejects.toMatchObject({ code: "unavailable" });
});

test("a server that is starting is waited for, until the signal", async () => {
  const data = await scratchDirectory();
  const { directory } = await own(data);
  const told: string[] = [];
  const log = { ...silentLog, info: (_fields: object, message: string) => void told.push(message) };
  const stop = new AbortController();
  const stopped = waitForServer(data, log, stop.signal);
  const joined = waitForServer(data, log);
  await waitUntil("both to wait", () => told.length === 2);
  expect(told).toEqual(["waiting for 'croft serve'", "waiting for 'croft serve'"]);
  stop.abort(new Error("no longer wanted"));
  await expect(stopped).rejects.toThrow();
  await announceServer(directory.run, "http://127.0.0.1:1");
  await joined;
});

test("a server on a database of the operator's is told from one with the embedded", async () => {
  const data = await scratchDirectory();
  const { run } = await openDataDirectory(data);
  await announceServer(run, "http://127.0.0.1:1");
  await expect(waitForServer(data, silentLog)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("DATABASE_URL"),
  });
});

test("a socket directory that others can enter is not trusted", async () => {
  const data = await scratchDirectory();
  const config = await configOf(data);
  const directory = await openDataDirectory(data);
  const socket = join(directory.postgres, "socket");
  await mkdir(socket);
  await chmod(socket, 0o755);
  onTestFinished(() => rm(socket, { recursive: true }));
  await expect(joinDatabase(config, directory, silentLog)).rejects.toMatchObject({
    code: "data-directory-unusable",
  });
  expect(readdirSync(socket)).toEqual([]);
});
