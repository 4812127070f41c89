// `croft serve` as a process: starts, stops, refuses, survives; with its own PostgreSQL and with the operator's.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type RunningServer,
  type RunOptions,
  runCroft,
  startServer,
} from "./support/croft-process.ts";
import { asOrdinaryUser, ORDINARY_UID } from "./support/ordinary-user.ts";
import { emptyDatabase, scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { createAdmin, getJson } from "./support/sign-in.ts";
import { waitUntil } from "./support/wait-until.ts";

/** Ended with the test, whatever becomes of it; also a PostgreSQL that a killed server left running. */
async function serve(data: string, options: RunOptions = {}): Promise<RunningServer> {
  const server = await startServer(data, options);
  onTestFinished(async () => {
    await server.stop();
    const pid = postmasterPid(data);
    if (pid === undefined) return;
    process.kill(pid, "SIGQUIT");
    await waitUntil("PostgreSQL to end", () => postmasterPid(data) === undefined);
  });
  return server;
}

function postmasterPid(data: string): number | undefined {
  try {
    const file = readFileSync(join(data, "postgres/data/postmaster.pid"), "utf8");
    const pid = Number.parseInt(file, 10);
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

describe.each([
  { user: "root", as: () => ({}), needsRoot: true },
  { user: "an ordinary user", as: asOrdinaryUser, needsRoot: false },
])("as $user", ({ as, needsRoot }) => {
  test.skipIf(needsRoot && process.getuid?.() !== 0)(
    "prints address, data directory and one-time link, and stops PostgreSQL on SIGTERM",
    async () => {
      const data = join(await scratchDirectory(), "data");
      const server = await serve(data, as(data));
      expect(server.stdout()).toContain(data);
      expect(server.stdout()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/setup#[\w-]{43}\n/);
      expect(await getJson(server, "/readyz")).toMatchObject({ status: "ready" });
      expect(postmasterPid(data)).toBeGreaterThan(1);
      expect(await server.stop()).toBe(0);
      expect(postmasterPid(data)).toBeUndefined();
      expect(readdirSync(join(data, "run"))).toEqual(["cli-token"]);
    },
  );

  test.skipIf(needsRoot && process.getuid?.() !== 0)(
    "a killed server's PostgreSQL is adopted by the next start, with every row",
    async () => {
      const data = join(await scratchDirectory(), "data");
      const first = await serve(data, as(data));
      await createAdmin(first);
      const pid = postmasterPid(data);
      process.kill(first.pid, "SIGKILL");
      await first.exit;
      const second = await serve(data, as(data));
      expect(postmasterPid(data)).toBe(pid);
      expect(second.stdout()).not.toContain("/setup#");
      expect(await getJson(second, "/api/overview")).toMatchObject({ admins: 1 });
    },
  );
});

test("the ordinary user's files are its own and closed to others", async () => {
  const data = join(await scratchDirectory(), "data");
  await serve(data, asOrdinaryUser(data));
  const { uid, mode } = statSync(data);
  expect({ uid, mode: mode & 0o777 }).toEqual({
    uid: process.getuid?.() === 0 ? ORDINARY_UID : process.getuid?.(),
    mode: 0o700,
  });
});

test("a second server on the same embedded data directory is refused and told what to do", async () => {
  const data = join(await scratchDirectory(), "data");
  const first = await serve(data);
  const second = runCroft(["serve", "--data", data, "--http-port", "0"]);
  expect(await second.exit).toBe(1);
  expect(second.output()).toContain(`another 'croft serve' (pid ${first.pid})`);
  expect(second.output()).toContain("CROFT_DATA");
  expect(second.output()).toContain("DATABASE_URL");
  expect(await getJson(first, "/readyz")).toMatchObject({ status: "ready" });
});

test("a PostgreSQL that dies is started again, and requests meanwhile get 503, not 500", async () => {
  const data = join(await scratchDirectory(), "data");
  const server = await serve(data);
  const statuses = new Set<number>();
  for (let round = 0; round < 3; round++) {
    const pid = postmasterPid(data);
    process.kill(pid ?? -1, "SIGKILL");
    await waitUntil("another PostgreSQL", async () => {
      const { status } = await fetch(`${server.url}/api/setup`);
      statuses.add(status);
      const now = postmasterPid(data);
      return status === 200 && now !== undefined && now !== pid;
    });
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

test("several servers share an operator's database, and migrate it once", async () => {
  const env = { DATABASE_URL: await emptyDatabase() };
  const root = await scratchDirectory();
  const servers = await Promise.all(
    [1, 2, 3].map((number) => serve(join(root, `data-${number}`), { env })),
  );
  const [first, second] = servers as [RunningServer, RunningServer];
  await createAdmin(first);
  expect(await getJson(second, "/api/overview")).toMatchObject({
    admins: 1,
    database: { mode: "external" },
  });
  expect(readdirSync(join(first.data, "postgres"))).toEqual([]);
});

test("a database of a newer Croft is refused", async () => {
  const url = await scratchDatabase();
  const data = await scratchDirectory();
  const server = await serve(data, { env: { DATABASE_URL: url } });
  await server.stop();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("insert into croft.migration values (9999, '9999_future.sql', 'x')");
  await client.end();
  const refused = runCroft(["serve", "--data", data], { env: { DATABASE_URL: url } });
  expect(await refused.exit).toBe(1);
  expect(refused.output()).toContain("(schema-too-new)");
});

test("a port that is taken is said so, and PostgreSQL is stopped again", async () => {
  const root = await scratchDirectory();
  const first = await serve(join(root, "first"));
  const port = new URL(first.url).port;
  const second = runCroft(["serve", "--data", join(root, "second"), "--http-port", port]);
  expect(await second.exit).toBe(1);
  expect(second.output()).toContain("(address-in-use)");
  expect(postmasterPid(join(root, "second"))).toBeUndefined();
});

test("SIGTERM during the first start ends cleanly", async () => {
  const data = join(await scratchDirectory(), "data");
  const server = runCroft(["serve", "--data", data, "--http-port", "0"]);
  await waitUntil("PostgreSQL's files", () => readdirSyncOrNone(join(data, "postgres")).length > 0);
  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);
  expect(postmasterPid(data)).toBeUndefined();
});

function readdirSyncOrNone(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
