// Every route × every kind of caller: who may enter is what the table says, for routes to come as well.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { createApp, type Database } from "@croft/engine";
import { hash } from "@node-rs/argon2";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { createAdmin } from "./support/sign-in.ts";

const METRICS_TOKEN = "a-token-for-the-scraper";
const PRINCIPALS = ["nobody", "stranger", "scraper", "app", "viewer", "admin", "local"] as const;
type PrincipalName = (typeof PRINCIPALS)[number];

/** Who gets past the door of each route; the rest get 401 or 403. */
const SIGNED_IN: readonly PrincipalName[] = ["viewer", "admin", "local"];
const READERS: readonly PrincipalName[] = ["app", ...SIGNED_IN];
const WRITERS: readonly PrincipalName[] = ["app", "admin", "local"];
const DOORS: Record<string, readonly PrincipalName[]> = {
  "POST /api/jobs": WRITERS,
  "GET /api/jobs": READERS,
  "GET /api/job-types": READERS,
  "GET /api/jobs/{id}": READERS,
  "GET /api/jobs/{id}/history": READERS,
  "GET /api/jobs/{id}/log": READERS,
  "GET /api/jobs/{id}/events": READERS,
  "GET /api/jobs/{id}/log/events": READERS,
  "GET /api/events": READERS,
  "POST /api/jobs/{id}/cancel": WRITERS,
  "POST /api/jobs/{id}/retry": WRITERS,
  "POST /api/bulk": WRITERS,
  "GET /api/bulk/{id}": READERS,
  "POST /api/bulk/{id}/abort": WRITERS,
  "GET /api/repositories": READERS,
  "POST /api/repositories": WRITERS,
  "GET /api/repositories/{id}": READERS,
  "PATCH /api/repositories/{id}": WRITERS,
  "DELETE /api/repositories/{id}": WRITERS,
  "POST /api/repositories/{id}/resync": WRITERS,
  "GET /api/repositories/{id}/files": READERS,
  "GET /api/repositories/{id}/content": READERS,
  "GET /api/deliveries": READERS,
  "GET /api/deliveries/{id}": READERS,
  "POST /api/deliveries/{id}/replay": WRITERS,
  "GET /api/github": SIGNED_IN,
  "POST /api/github/check": ["admin", "local"],
  "GET /api/github/installations": SIGNED_IN,
  "GET /api/github/installations/{id}": SIGNED_IN,
  "GET /api/github/events": SIGNED_IN,
  "GET /api/github/events/{id}": SIGNED_IN,
  "POST /api/github/events/{id}/replay": ["admin", "local"],
  "POST /api/schedules": WRITERS,
  "GET /api/schedules": READERS,
  "GET /api/schedules/{id}": READERS,
  "PATCH /api/schedules/{id}": WRITERS,
  "DELETE /api/schedules/{id}": WRITERS,
  "PUT /api/secrets/{name}": WRITERS,
  "GET /api/secrets": READERS,
  "DELETE /api/secrets/{name}": WRITERS,
  "POST /api/credentials": WRITERS,
  "GET /api/credentials": READERS,
  "DELETE /api/credentials/{id}": WRITERS,
  "POST /api/runs": WRITERS,
  "GET /api/runs": READERS,
  "GET /api/runs/{id}": READERS,
  "GET /api/runs/{id}/events": READERS,
  "GET /api/runs/{id}/workspaces": READERS,
  "POST /api/runs/{id}/cancel": WRITERS,
  "POST /api/runs/{id}/retry": WRITERS,
  "POST /api/runs/{id}/approve": WRITERS,
  "PUT /api/pipelines/{name}": WRITERS,
  "GET /api/pipelines": READERS,
  "GET /api/pipelines/{name}": READERS,
  "DELETE /api/pipelines/{name}": WRITERS,
  "GET /api/assets": READERS,
  "POST /api/assets": WRITERS,
  "GET /api/assets/{id}": READERS,
  "DELETE /api/assets/{id}": WRITERS,
  "GET /api/assets/{id}/content": READERS,
  "POST /api/apps/onboard": ["admin", "local"],
  "GET /api/apps": SIGNED_IN,
  "GET /api/apps/me": ["app"],
  "GET /api/apps/{id}": SIGNED_IN,
  "PATCH /api/apps/{id}": ["admin", "local"],
  "POST /api/apps/{id}/ping": ["admin", "local"],
  "POST /api/apps/{id}/rotate-token": ["admin", "local"],
  "DELETE /api/apps/{id}/tokens/{token}": ["admin", "local"],
  "POST /api/apps/{id}/rotate-signing-secret": ["admin", "local"],
  "DELETE /api/apps/{id}/signing-secrets/{secret}": ["admin", "local"],
  "GET /api/apps/{id}/deletion": SIGNED_IN,
  "DELETE /admin/api/apps/{id}": ["admin", "local"],
  "GET /admin/api/encryption-keys": SIGNED_IN,
  "POST /admin/api/encryption-keys/rotate": ["admin", "local"],
  "GET /admin/api/queue": SIGNED_IN,
  "GET /admin/api/lanes": SIGNED_IN,
  "PATCH /admin/api/lanes/{id}": ["admin", "local"],
  "GET /admin/api/workers": SIGNED_IN,
  "GET /healthz": PRINCIPALS,
  "GET /readyz": PRINCIPALS,
  "GET /metrics": ["scraper", ...SIGNED_IN],
  "GET /api/setup": PRINCIPALS,
  "POST /api/setup": PRINCIPALS,
  "POST /api/session": PRINCIPALS,
  "GET /api/session": SIGNED_IN,
  "DELETE /api/session": SIGNED_IN,
  "GET /api/overview": SIGNED_IN,
  "GET /admin/api/sessions": SIGNED_IN,
  "DELETE /admin/api/sessions/{id}": SIGNED_IN,
  "POST /admin/api/setup-links": ["admin", "local"],
};

let server: RunningServer;
const headersOf = {} as Record<PrincipalName, Record<string, string>>;
const data = join(inject("scratch"), "access");

beforeAll(async () => {
  server = await startServer(data, { env: { CROFT_METRICS_TOKEN: METRICS_TOKEN } });
  headersOf.nobody = { origin: server.url };
  headersOf.stranger = { authorization: "Bearer croft_local_wrong", origin: server.url };
  headersOf.scraper = { authorization: `Bearer ${METRICS_TOKEN}`, origin: server.url };
  headersOf.local = { authorization: `Bearer ${server.token}`, origin: server.url };
  headersOf.admin = (await createAdmin(server)).headers;
  headersOf.viewer = await createViewer();
  headersOf.app = { authorization: `Bearer ${await createToken()}`, origin: server.url };
});

afterAll(async () => {
  await server.stop();
  rmSync(data, { recursive: true });
});

function embedded(): pg.ClientConfig {
  return { host: join(data, "postgres/socket"), user: "croft", database: "croft" };
}

/** Nor one that makes apps. */
async function createToken(): Promise<string> {
  const pool = new pg.Pool(embedded());
  const { token } = await createApp({ pool } as Database, "access");
  await pool.end();
  return token;
}

/** There is no route yet that makes viewers. */
async function createViewer(): Promise<Record<string, string>> {
  const client = new pg.Client(embedded());
  await client.connect();
  await client.query(
    "insert into croft.admin (email, name, password_hash, role) values ('vi@example.org', 'Vi', $1, 'viewer')",
    [await hash("a viewer's password")],
  );
  await client.end();
  const origin = { origin: server.url };
  const response = await fetch(`${server.url}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", ...origin },
    body: JSON.stringify({ email: "vi@example.org", password: "a viewer's password" }),
  });
  const { csrf_token } = (await response.json()) as { csrf_token: string };
  const cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  return { cookie, ...origin, "x-csrf-token": csrf_token };
}

test("the table has every route of the API document, and no other", async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  const { paths } = document as { paths: Record<string, Record<string, unknown>> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual(Object.keys(DOORS).sort());
});

// Signing out last, because it ends the session the others use.
const cases = Object.entries(DOORS)
  .sort(
    ([left], [right]) =>
      Number(left === "DELETE /api/session") - Number(right === "DELETE /api/session"),
  )
  .flatMap(([route, allowed]) => PRINCIPALS.map((principal) => ({ route, principal, allowed })));

test.each(cases)("$route as $principal", async ({ route, principal, allowed }) => {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern
    .replace(/\{(id|secret)\}/g, "00000000-0000-4000-8000-000000000000")
    .replace("{token}", "0".repeat(16))
    .replace("{name}", "NAME");
  const sendsBody =
    ["PATCH", "PUT"].includes(method) || (method === "POST" && path.startsWith("/api/"));
  const gone = new AbortController(); // streams do not end by themselves
  onTestFinished(() => gone.abort());
  const response = await fetch(server.url + path, {
    method,
    signal: gone.signal,
    headers: {
      ...headersOf[principal],
      ...(sendsBody ? { "content-type": "application/json" } : {}),
    },
    ...(sendsBody ? { body: "{}" } : {}),
  });
  if (allowed.includes(principal)) {
    expect([200, 202, 204, 404, 409, 422]).toContain(response.status);
  } else {
    expect(response.status).toBe(READERS.includes(principal) ? 403 : 401);
  }
});
