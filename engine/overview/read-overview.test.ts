// The overview tells what is true of this installation at this moment.
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { beginSession, listSessions } from "../admin/session.ts";
import { createFirstAdmin, createSetupLink } from "../admin/setup.ts";
import { readOverview } from "./read-overview.ts";

const visitor = { address: "127.0.0.1", userAgent: "test" };
const ada = { email: "ada@example.com", name: "Ada", password: "correct horse battery" };

test("a new installation has nobody and tells its database and disk", async () => {
  const engine = await scratchEngine();
  const overview = await readOverview(engine);
  const { blocks, bfree, bavail, bsize } = await statfs(engine.config.data);
  expect(overview).toMatchObject({
    version: "test",
    started_at: engine.startedAt.toISOString(),
    host: hostname(),
    admins: 0,
    sessions: 0,
    database: { mode: "external", version: expect.stringMatching(/^\d+\.\d+/) },
    disk: {
      path: engine.config.data,
      total_bytes: expect.closeTo((blocks - bfree + bavail) * bsize, -8),
    },
  });
  expect(overview.database.size_bytes).toBeGreaterThan(1_000_000);
  expect(overview.database.connections).toBeGreaterThanOrEqual(1);
  expect(overview.disk.free_bytes).toBeLessThanOrEqual(overview.disk.total_bytes);
});

test("admins and the places where they are signed in are counted as the list of sessions shows them", async () => {
  const engine = await scratchEngine({ "session.idle": "1h", "session.lifetime": "1d" });
  const { database, config } = engine;
  const { token } = await createSetupLink(engine);
  const { admin } = await createFirstAdmin(engine, { token, ...ada }, visitor);
  await beginSession(database, config, admin, visitor);
  expect(await readOverview(engine)).toMatchObject({ admins: 1, sessions: 2 });

  for (const offset of ["2 hours", "2 days"]) {
    await database.pool.query("select set_config('croft.clock_offset', $1, false)", [offset]);
    expect(database.pool.totalCount).toBe(1);
    const listed = await listSessions(database, config, {
      adminId: undefined,
      currentId: undefined,
    });
    expect(listed).toEqual([]);
    expect((await readOverview(engine)).sessions).toBe(0);
  }
});

test("the time is the database's, which all processes share", async () => {
  const engine = await scratchEngine();
  const before = new Date((await readOverview(engine)).now);
  await engine.database.pool.query("set croft.clock_offset = '1 day'");
  const after = new Date((await readOverview(engine)).now);
  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(86_400_000);
});
