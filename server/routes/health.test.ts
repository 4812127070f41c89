// The process says whether it lives, and whether it can serve, which it proves by asking the database.
import type { Engine } from "@croft/engine";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

async function serve(engine: Engine, isDraining = () => false) {
  const app = await scratchServer(engine, { isDraining });
  return app;
}

test("a server with its database lives and is ready", async () => {
  const app = await serve(await scratchEngine());
  const [alive, ready] = [await app.inject("/healthz"), await app.inject("/readyz")];
  expect(alive.json()).toEqual({ status: "ok" });
  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toEqual({ status: "ready", database_ms: expect.any(Number), disk: "ok" });
});

test("a server whose disk is full says so, and stays ready: things must be deleted", async () => {
  const app = await serve(await scratchEngine({ "disk.reserveBytes": String(1024 ** 5) }));
  const ready = await app.inject("/readyz");
  expect([ready.statusCode, ready.json().disk]).toEqual([200, "full"]);
});

test("a server that shuts down lives but is not ready", async () => {
  let draining = false;
  const app = await serve(await scratchEngine(), () => draining);
  expect((await app.inject("/readyz")).statusCode).toBe(200);
  draining = true;
  const ready = await app.inject("/readyz");
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toMatchObject({
    code: "unavailable",
    detail: "the server is shutting down",
  });
  expect((await app.inject("/healthz")).statusCode).toBe(200);
});

test.each([
  ["is ended", async (pool: pg.Pool) => await pool.end()],
  ["reaches no server", async (pool: pg.Pool) => void onTestFinished(() => pool.end())],
])("a server whose pool %s lives but is not ready", async (_what, breakPool) => {
  const engine = await scratchEngine();
  const pool = new pg.Pool({ host: "/nowhere", user: "croft" });
  await breakPool(pool);
  const app = await serve({ ...engine, database: { ...engine.database, pool } });
  const ready = await app.inject("/readyz");
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toMatchObject({
    code: "unavailable",
    detail: "the database does not answer",
  });
  expect((await app.inject("/healthz")).statusCode).toBe(200);
});
