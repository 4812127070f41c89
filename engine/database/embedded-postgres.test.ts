// The embedded PostgreSQL outlives a crash of Croft, comes back after its own, and ends when it is stopped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { silentLog } from "../../test/support/silent-log.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { findPostmaster } from "./postmaster.ts";

async function prepare(): Promise<DataDirectory> {
  const directory = await openDataDirectory(await scratchDirectory());
  onTestFinished(() => endServerOf(directory)); // also when the test fails in the middle
  return directory;
}

const serverOf = ({ postgres }: DataDirectory) => findPostmaster(join(postgres, "data"));

async function endServerOf(directory: DataDirectory): Promise<void> {
  const running = await serverOf(directory);
  if (running === undefined) return;
  process.kill(running.pid, "SIGQUIT");
  await waitUntil("the server's end", async () => (await serverOf(directory)) === undefined);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A living process of PostgreSQL's user that has nothing to do with PostgreSQL. */
async function startStranger(): Promise<number> {
  const user = process.getuid?.() === 0 ? { uid: POSTGRES_UID, gid: POSTGRES_UID } : {};
  const child = spawn("sleep", ["600"], { cwd: "/", stdio: "ignore", ...user });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child.pid ?? -1;
}

async function start(directory: DataDirectory): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(directory, silentLog);
  onTestFinished(() => server.stop());
  return server;
}

async function query(connection: pg.ClientConfig, statement: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test("it starts, keeps what it was told, and is really gone after stop", async () => {
  const directory = await prepare();
  const first = await start(directory);
  await query(first.connection, "create table kept as select 42 as answer");
  expect(await query(first.connection, "show listen_addresses")).toEqual([
    { listen_addresses: "" },
  ]);
  const pid = (await serverOf(directory))?.pid ?? -1;
  await first.stop();
  expect(await serverOf(directory)).toBeUndefined();
  await waitUntil("the end of the process", () => !isAlive(pid));
  await expect(query(first.connection, "select 1")).rejects.toMatchObject({ syscall: "connect" });

  // A power cut leaves a pid file, and its number may belong to another process of the same user after the boot.
  const lines = [await startStranger(), directory.postgres, 1, 5432, "", "", "", "ready"];
  await writeFile(join(directory.postgres, "data/postmaster.pid"), lines.join("\n"));
  const second = await start(directory);
  expect(await query(second.connection, "select answer from kept")).toEqual([{ answer: 42 }]);
  await second.stop();
  await second.stop(); // nothing is left to stop
});

test("a server killed with SIGKILL is brought up again and has lost nothing that was acknowledged", async () => {
  const directory = await prepare();
  const { connection, stop } = await start(directory);
  await query(connection, "create table kept as select 42 as answer");
  const killed = await serverOf(directory);
  process.kill(killed?.pid ?? -1, "SIGKILL");
  const rows = await waitUntil("the server's return", async () => {
    const running = await serverOf(directory);
    if (running === undefined || running.pid === killed?.pid) return undefined;
    return await query(connection, "select answer from kept").catch(() => undefined);
  });
  expect(rows).toEqual([{ answer: 42 }]);
  await stop();
  expect(await serverOf(directory)).toBeUndefined();
});

test("a server whose Croft was killed runs on, and the next Croft adopts it", async () => {
  const directory = await prepare();
  const urlOf = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)));
  const script = `import { openDataDirectory } from ${urlOf("../data-directory/data-directory.ts")};
    import { startEmbeddedPostgres } from ${urlOf("embedded-postgres.ts")};
    const ignore = () => {};
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    await startEmbeddedPostgres(await openDataDirectory(process.argv[1]), log);
    setInterval(ignore, 1000);
    process.stdout.write("started");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, directory.path];
  const croft = spawn(process.execPath, args, { cwd: join(import.meta.dirname, "../..") });
  onTestFinished(() => void croft.kill("SIGKILL"));
  await once(croft.stdout, "data");
  croft.kill("SIGKILL");
  await once(croft, "exit");

  const orphan = await serverOf(directory);
  expect(orphan?.ready).toBe(true);
  const server = await start(directory);
  expect((await serverOf(directory))?.pid).toBe(orphan?.pid);
  expect(await query(server.connection, "select 1 as one")).toEqual([{ one: 1 }]);
  await server.stop();
  expect(await serverOf(directory)).toBeUndefined();
});

test.runIf(process.getuid?.() === 0)(
  "a data directory that PostgreSQL's user cannot enter is refused by the name of the closed part",
  async () => {
    const outer = await scratchDirectory();
    await chmod(outer, 0o700);
    const directory = await openDataDirectory(join(outer, "data"));
    await expect(startEmbeddedPostgres(directory, silentLog)).rejects.toMatchObject({
      code: "data-directory-unusable",
      message: expect.stringContaining(
        `who may not enter '${outer}'; choose another with CROFT_DATA`,
      ),
    });
  },
);
