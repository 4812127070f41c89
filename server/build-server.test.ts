// What holds for every answer of the server, whatever the route.
import { once } from "node:events";
import { connect } from "node:net";
import { Writable } from "node:stream";
import type { Engine } from "@croft/engine";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { scratchEngine } from "../test/support/scratch-engine.ts";
import { buildServer } from "./build-server.ts";

/** The server, and what it logged. */
async function serve(engine: Engine, level = "error") {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const app = await buildServer({
    engine,
    log: pino({ level }, stream),
    dashboard: "/nowhere",
    ownUrl: () => "http://127.0.0.1:4747",
    isDraining: () => false,
  });
  onTestFinished(() => app.close());
  return { app, lines };
}

/** The same engine with a database that cannot be reached, or with a pool that is broken. */
function withPool(engine: Engine, pool: pg.Pool): Engine {
  const kysely = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  const database = { ...engine.database, pool, kysely: kysely as never };
  return { ...engine, database };
}

test.each([
  ["a harmless id is kept", "build-42.step_1", true],
  ["one with a line break's code is replaced", "a%0ab", false],
  ["one with spaces is replaced", "a b", false],
  ["one that is too long is replaced", "x".repeat(65), false],
  ["an empty one is replaced", "", false],
])("the caller's request id: %s", async (_what, given, kept) => {
  const { app } = await serve(await scratchEngine());
  const response = await app.inject({ url: "/healthz", headers: { "x-request-id": given } });
  const id = response.headers["x-request-id"];
  if (kept) expect(id).toBe(given);
  else expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test("a problem carries the id of its request, and every request has another", async () => {
  const { app } = await serve(await scratchEngine());
  const [first, second] = [await app.inject("/api/nothing"), await app.inject("/api/nothing")];
  expect(first.json().request_id).toBe(first.headers["x-request-id"]);
  expect(first.json().request_id).not.toBe(second.json().request_id);
});

test("answers are kept in no cache, framed by nobody and read as what they are", async () => {
  const { app } = await serve(await scratchEngine());
  for (const url of ["/healthz", "/api/nothing", "/api/openapi.json"]) {
    expect((await app.inject(url)).headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    });
  }
});

test("a database that is away is 503 with the time to wait, and fills no log", async () => {
  const pool = new pg.Pool({ host: "/nowhere", user: "croft" });
  onTestFinished(() => pool.end());
  const { app, lines } = await serve(withPool(await scratchEngine(), pool));
  const response = await app.inject("/api/setup");
  expect(response.statusCode).toBe(503);
  expect(response.headers["retry-after"]).toBe("1");
  expect(response.json()).toMatchObject({ code: "unavailable" });
  expect(lines).toEqual([]);
});

test("a failure of ours is 500 without its reason, which stands in the log under the same id", async () => {
  const pool = new pg.Pool();
  await pool.end();
  const { app, lines } = await serve(withPool(await scratchEngine(), pool));
  const response = await app.inject("/api/setup");
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({
    code: "internal",
    detail: "the server failed; its log has more under this request id",
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    request_id: response.json().request_id,
    msg: "request failed",
    err: { message: expect.stringContaining("pool") },
  });
});

test("the log has one line a request, with the pattern and without query, cookies and tokens", async () => {
  const { app, lines } = await serve(await scratchEngine(), "debug");
  await app.inject({
    url: "/api/nothing?token=hunter2",
    headers: { cookie: "croft-session=hunter2", authorization: "Bearer hunter2" },
  });
  await app.inject({ method: "DELETE", url: "/admin/api/sessions/hunter2" });
  expect(lines).toHaveLength(2);
  expect(lines.join("")).not.toContain("hunter2");
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({
    method: "DELETE",
    path: "/admin/api/sessions/:id",
    status: 401,
    msg: "request",
  });
});

test("a body above the limit of the configuration is refused by its number", async () => {
  const { app } = await serve(await scratchEngine({ "http.bodyLimit": "1024" }));
  const headers = { host: "localhost", origin: "http://localhost" };
  const payload = { email: "a@b", password: "x".repeat(2000) };
  const response = await app.inject({ method: "POST", url: "/api/session", headers, payload });
  expect(response.statusCode).toBe(413);
  expect(response.json()).toMatchObject({
    code: "too-large",
    detail: "the body may have at most 1024 bytes",
  });
});

test("JSON that calls itself plain text, as a form of a foreign page could send it, is not read", async () => {
  const { app } = await serve(await scratchEngine());
  const response = await app.inject({
    method: "POST",
    url: "/api/session",
    headers: { host: "localhost", origin: "http://localhost", "content-type": "text/plain" },
    payload: '{"email":"ada@example.com","password":"x"}',
  });
  expect(response.json()).toMatchObject({ status: 415, code: "unsupported-media-type" });
});

test("a path that is no URL is a problem", async () => {
  const { app } = await serve(await scratchEngine());
  const response = await app.inject("/api/%ff");
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ code: "bad-request" });
});

test("an answer before the whole body has come arrives, also where the client wants the connection closed", async () => {
  const { app } = await serve(await scratchEngine());
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const body = Buffer.alloc(8_000_000, " ");
  const head = ["POST /api/jobs HTTP/1.1", "host: localhost", "connection: close"];
  socket.write(`${[...head, `content-length: ${body.length}`].join("\r\n")}\r\n\r\n`);
  socket.write(body);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
});

test.each([
  ["DELETE", "/api/secrets/NONE"],
  ["POST", "/api/jobs/0190a0a0-0000-7000-8000-000000000000/cancel"],
] as const)("%s without a body is read as such, whatever its content type", async (method, url) => {
  const engine = await scratchEngine();
  const { app } = await serve(engine);
  const answer = await app.inject({
    ...{ method, url },
    headers: { authorization: `Bearer ${engine.localToken}`, "content-type": "application/json" },
  });
  expect(answer.json()).toMatchObject({ status: 404, code: "not-found" });
});
