// Every request is made by somebody the route lets in, or refused.
import type { AdminRole } from "@croft/contract";
import { beginSession, type Engine } from "@croft/engine";
import cookie from "@fastify/cookie";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { explain, sendProblem } from "../problem-error.ts";
import { authenticate } from "./authenticate.ts";

const METRICS_TOKEN = "a-token-for-the-scraper";
const host = "localhost:4747";
const origin = `http://${host}`;

async function prepare(flags: Record<string, string | boolean> = {}) {
  const engine = await scratchEngine({ "metrics.token": METRICS_TOKEN, ...flags });
  const app = fastify({ trustProxy: engine.config.http.trustProxy });
  onTestFinished(() => app.close());
  await app.register(cookie);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, explain(error, 1024)));
  authenticate(app, engine);
  for (const access of ["public", "browser", "viewer", "admin", "metrics"] as const) {
    const handler = async ({ principal }: { principal: { kind: string } | undefined }) =>
      principal?.kind ?? "nobody";
    app.get(`/${access}`, { config: { access } }, handler);
    app.post(`/${access}`, { config: { access } }, handler);
  }
  /** The principal that the route saw, or the code of the problem. */
  const ask = async (
    route: string,
    headers: Record<string, string> = {},
    remoteAddress = "127.0.0.1",
  ) => {
    const [method, url] = route.split(" ") as ["GET" | "POST" | "HEAD", string];
    const response = await app.inject({
      method,
      url,
      headers: { host, ...headers },
      remoteAddress,
    });
    if (method === "HEAD") return String(response.statusCode);
    return response.statusCode === 200 ? response.body : response.json().code;
  };
  return { app, engine, ask };
}

async function signedIn({ database, config }: Engine, role: AdminRole = "admin") {
  const { id, created_at } = await database.kysely
    .insertInto("croft.admin")
    .values({ email: `${role}@example.com`, name: "Ada", password_hash: "none", role })
    .returning(["id", "created_at"])
    .executeTakeFirstOrThrow();
  const admin = { id, email: "", name: "Ada", role, created_at: created_at.toISOString() };
  const visitor = { address: "127.0.0.1", userAgent: "test" };
  const { secret, csrfToken } = await beginSession(database, config, admin, visitor);
  return { cookie: `croft-session=${secret}`, csrf: { "x-csrf-token": csrfToken }, secret };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a server with a route that has no access rule does not start", async () => {
  const engine = await scratchEngine();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(cookie);
  authenticate(app, engine);
  app.get("/forgotten", async () => "open");
  await expect(app.ready()).rejects.toThrow("route 'GET /forgotten' has no access rule");
});

test("a route in a plugin of its own needs an access rule too", async () => {
  const engine = await scratchEngine();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(cookie);
  authenticate(app, engine);
  await app.register(async (inner) => void inner.get("/inner", async () => "open"));
  await expect(app.ready()).rejects.toThrow("has no access rule");
});

test("without anything only what is public is open", async () => {
  const { ask } = await prepare();
  expect(await ask("GET /public")).toBe("nobody");
  expect(await ask("POST /public")).toBe("nobody");
  expect(await ask("GET /browser")).toBe("nobody");
  expect(await ask("POST /browser")).toBe("forbidden-origin");
  expect(await ask("POST /browser", { origin })).toBe("nobody");
  for (const route of ["GET /viewer", "GET /admin", "GET /metrics", "POST /viewer"]) {
    expect(await ask(route)).toBe("unauthenticated");
  }
  expect(await ask("HEAD /viewer")).toBe("401");
  expect(await ask("GET /nowhere")).toBeUndefined(); // Fastify's own 404
});

test("the local token opens everything, from anywhere, without origin or CSRF token", async () => {
  const { ask, engine } = await prepare();
  const token = bearer(engine.localToken);
  for (const route of ["GET /viewer", "POST /viewer", "POST /admin", "GET /metrics"]) {
    expect(await ask(route, token, "203.0.113.9")).toBe("local");
  }
  expect(await ask("GET /admin", { authorization: `bearer ${engine.localToken}` })).toBe("local");
});

test("the metrics token opens the metrics and nothing else", async () => {
  const { ask } = await prepare();
  expect(await ask("GET /metrics", bearer(METRICS_TOKEN))).toBe("scraper");
  expect(await ask("GET /viewer", bearer(METRICS_TOKEN))).toBe("unauthenticated");
  expect(await ask("POST /admin", bearer(METRICS_TOKEN))).toBe("unauthenticated");
});

test("anything that only resembles a token is refused", async () => {
  const { ask, engine } = await prepare();
  const { localToken } = engine;
  const attempts = [
    "",
    "Bearer",
    "Bearer ",
    localToken,
    `Basic ${localToken}`,
    `Bearer ${localToken} `.replace(/ $/, "\u00a0"),
    `Bearer  ${localToken}`,
    `Bearer ${localToken.slice(0, -1)}`,
    `Bearer ${localToken}x`,
    `Bearer ${"x".repeat(600)}`,
    `Bearer ${localToken}, Bearer ${localToken}`,
    "Bearer undefined",
  ];
  for (const authorization of attempts) {
    expect([authorization, await ask("GET /metrics", { authorization })]).toEqual([
      authorization,
      "unauthenticated",
    ]);
  }
});

test("a token that is not set is not 'undefined'", async () => {
  const engine = await scratchEngine();
  const { metrics } = engine.config;
  expect(metrics.token).toBeUndefined();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(cookie);
  authenticate(app, engine);
  app.get("/metrics", { config: { access: "metrics" } }, async () => "open");
  const response = await app.inject({ url: "/metrics", headers: bearer("undefined") });
  expect(response.body).not.toBe("open");
});

test("a session opens what its role may see", async () => {
  const { ask, engine } = await prepare();
  const admin = await signedIn(engine, "admin");
  const viewer = await signedIn(engine, "viewer");
  expect(await ask("GET /viewer", { cookie: viewer.cookie })).toBe("admin");
  expect(await ask("GET /metrics", { cookie: viewer.cookie })).toBe("admin");
  expect(await ask("GET /admin", { cookie: viewer.cookie })).toBe("forbidden");
  expect(await ask("GET /admin", { cookie: admin.cookie })).toBe("admin");
});

test("a wrong token is not rescued by a good session", async () => {
  const { ask, engine } = await prepare();
  const { cookie } = await signedIn(engine);
  expect(await ask("GET /viewer", { cookie, ...bearer("wrong") })).toBe("unauthenticated");
  expect(await ask("GET /viewer", { cookie, authorization: "" })).toBe("unauthenticated");
});

test("a session changes something only from our own page, with its own CSRF token", async () => {
  const { ask, engine } = await prepare();
  const { cookie, csrf, secret } = await signedIn(engine, "admin");
  const other = await signedIn(engine, "viewer");
  expect(await ask("POST /viewer", { cookie, origin, ...csrf })).toBe("admin");
  expect(await ask("POST /viewer", { cookie, origin })).toBe("wrong-csrf-token");
  expect(await ask("POST /viewer", { cookie, ...csrf })).toBe("forbidden-origin");
  expect(await ask("POST /viewer", { cookie, origin, ...other.csrf })).toBe("wrong-csrf-token");
  expect(await ask("POST /viewer", { cookie, origin, "x-csrf-token": secret })).toBe(
    "wrong-csrf-token",
  );
  const evil = { origin: "https://evil.example.com" };
  expect(await ask("POST /viewer", { cookie, ...evil, ...csrf })).toBe("forbidden-origin");
});

test("a session is not read over plain HTTP from elsewhere, nor under a foreign name", async () => {
  const { ask, engine } = await prepare();
  const { cookie } = await signedIn(engine);
  expect(await ask("GET /viewer", { cookie }, "192.168.1.20")).toBe("insecure-transport");
  expect(await ask("GET /viewer", { cookie, host: "evil.example.com" })).toBe("misdirected");
});

test("over TLS only the cookie with the __Host- prefix counts", async () => {
  const flags = { "http.publicUrl": "https://croft.example.com", "http.trustProxy": true };
  const { ask, engine } = await prepare(flags);
  const { secret } = await signedIn(engine);
  const tls = { host: "croft.example.com", "x-forwarded-proto": "https" };
  const plain = { ...tls, cookie: `croft-session=${secret}` };
  expect(await ask("GET /viewer", plain)).toBe("unauthenticated");
  expect(await ask("GET /viewer", { ...tls, cookie: `__Host-croft-session=${secret}` })).toBe(
    "admin",
  );
});

test("an unknown, oversized or ended session is nobody's", async () => {
  const { ask, engine } = await prepare();
  const { cookie } = await signedIn(engine);
  for (const wrong of [
    "croft-session=",
    "croft-session=guess",
    `croft-session=${"x".repeat(129)}`,
  ]) {
    expect(await ask("GET /viewer", { cookie: wrong })).toBe("unauthenticated");
  }
  await engine.database.pool.query("delete from croft.session");
  expect(await ask("GET /viewer", { cookie })).toBe("unauthenticated");
});
