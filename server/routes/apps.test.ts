// Apps over real HTTP: onboarded by admins only, with addresses that are safe; tokens that end; limits; streams that end too.
import type { AddressInfo } from "node:net";
import { createApp, openSigningSecrets, startWorker } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { holdType } from "../../test/support/job-scene.ts";
import { readStream } from "../../test/support/read-stream.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const NAMED = "127.0.0.1:9999";
const APP = { name: "docs", email: "Ops@Example.org", base_url: `http://${NAMED}/in?a=b` };
const MISSING = "01890000-0000-7000-8000-000000000000";

async function scene(flags: Record<string, string> = {}) {
  const { type, held } = holdType();
  const engine = await scratchEngine({ allowPrivate: NAMED, ...flags }, [type]);
  const app = await scratchServer(engine);
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.server.closeAllConnections());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const ask = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token ?? engine.localToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const onboard = async (more: object = {}) => {
    const made = await ask("POST", "/api/apps/onboard", { ...APP, ...more });
    expect(made.status).toBe(201);
    return made.body;
  };
  return { engine, url, held, ask, onboard };
}

test("onboarded, shown without its secrets, changed, tried, deleted", async () => {
  const { engine, ask, onboard } = await scene();
  const made = await ask("POST", "/api/apps/onboard", { ...APP, description: "two\nlines" });
  const { token, signing_secret, ...app } = made.body;
  expect(made).toMatchObject({ status: 201, body: { email: "ops@example.org", paused: false } });
  expect(made.headers.get("location")).toBe(`/api/apps/${app.id}`);
  expect(await openSigningSecrets(engine.vault, app.id)).toEqual([signing_secret]);
  expect((await ask("GET", `/api/apps/${app.id}`)).body).toEqual(app);
  const own = await ask("GET", "/api/apps/me", undefined, token);
  expect(own.body).toEqual({ ...app, last_seen_at: expect.any(String) });
  const other = await onboard({ name: "other", base_url: null });
  const listed = (await ask("GET", "/api/apps?search=docs")).body;
  expect(listed).toMatchObject({ apps: [{ id: app.id, watches: 0 }], next_cursor: null });
  expect(JSON.stringify(listed)).not.toContain("token");
  const changed = await ask("PATCH", `/api/apps/${app.id}`, { name: "papers", paused: true });
  expect(changed).toMatchObject({ status: 200, body: { name: "papers", paused: true } });
  expect((await ask("PATCH", `/api/apps/${app.id}`, {})).body).toEqual(changed.body);
  const ping = await ask("POST", `/api/apps/${app.id}/ping`);
  expect(ping).toMatchObject({ status: 202, body: { delivery_id: expect.any(String) } });
  expect((await ask("POST", `/api/apps/${other.id}/ping`)).status).toBe(422);
  expect((await ask("GET", `/api/apps/${app.id}/deletion`)).body).toMatchObject({
    ...{ name: "papers", undelivered: 1, watches: 0, open_jobs: 0, asset_bytes: 0 },
  });
  expect((await ask("DELETE", `/admin/api/apps/${app.id}`)).status).toBe(204);
  for (const [method, path] of [
    ["DELETE", `/admin/api/apps/${app.id}`],
    ["GET", `/api/apps/${app.id}`],
    ["GET", `/api/apps/${app.id}/deletion`],
    ["POST", `/api/apps/${app.id}/ping`],
    ["GET", `/api/apps/${MISSING}`],
    ["DELETE", `/admin/api/apps/${MISSING}`],
  ] as const) {
    expect(await ask(method, path)).toMatchObject({ status: 404, body: { code: "not-found" } });
  }
  expect((await ask("GET", "/api/apps/me", undefined, token)).status).toBe(401);
});

test("without a session, or with an app's token, nobody onboards", async () => {
  const { engine, url, ask } = await scene();
  const { token } = await createApp(engine.database, "app");
  const bare = await fetch(`${url}/api/apps/onboard`, { method: "POST" });
  expect([bare.status, bare.headers.get("content-type")]).toEqual([
    401,
    expect.stringContaining("application/problem+json"),
  ]);
  expect((await ask("POST", "/api/apps/onboard", APP, token)).status).toBe(403);
  for (const path of ["/api/apps", `/api/apps/${MISSING}`, `/api/apps/${MISSING}/deletion`]) {
    expect((await ask("GET", path, undefined, token)).status).toBe(403);
  }
  expect((await ask("GET", "/api/apps/me")).status).toBe(403);
  expect((await ask("GET", "/api/apps")).body.apps).toHaveLength(1);
});

const UNSAFE: readonly (readonly [string, string])[] = [
  ["http://example.com/", "https://"],
  ["ftp://example.com/", "https://"],
  ["nonsense", "an address such as"],
  ["https://user:pass@127.0.0.1/", "credentials"],
  ["https://127.0.0.1/#part", "fragment"],
  ["https://127.0.0.1/", "not allowed"],
  ["https://2130706433/", "not allowed"],
  ["https://0x7f.1/", "not allowed"],
  ["https://[::1]/", "not allowed"],
  ["https://[::ffff:10.0.0.1]/", "not allowed"],
  ["https://169.254.169.254/latest", "not allowed"],
  ["https://localhost/", "not allowed"],
  ["https://127.0.0.1:9998/", "not allowed"],
  ["http://127.0.0.1:9998/", "https://"],
  ["https://no-such-host.invalid/", "has no address"],
  ["https://exa mple.com/", "an address such as"],
];

test("an unsafe address is refused with the reason, for a new app and for one that moves", async () => {
  const { ask, onboard } = await scene();
  const { id } = await onboard();
  for (const [base_url, reason] of UNSAFE) {
    for (const refused of [
      await ask("POST", "/api/apps/onboard", { ...APP, base_url }),
      await ask("PATCH", `/api/apps/${id}`, { name: "x", base_url }),
    ]) {
      expect(refused).toMatchObject({ status: 422, body: { code: "unsafe-address" } });
      expect(refused.body.detail).toContain(reason);
    }
  }
  const { apps } = (await ask("GET", "/api/apps")).body;
  expect(apps).toMatchObject([{ name: "docs", base_url: APP.base_url }]);
});

test("what is not valid is refused", async () => {
  const { ask } = await scene();
  for (const wrong of [
    { name: "" },
    { name: "a\u0000b" },
    { email: "nobody" },
    { base_url: `https://example.com/${"a".repeat(2048)}` },
    { description: "\u0007" },
    { delivery_slots: 0 },
    { delivery_slots: 65 },
    { more: 1 },
  ]) {
    const { status } = await ask("POST", "/api/apps/onboard", { ...APP, ...wrong });
    expect(status, JSON.stringify(wrong).slice(0, 50)).toBe(422);
  }
});

test("the old token works beside the new one until it ends or is revoked, and not a moment longer", async () => {
  const { ask, onboard } = await scene();
  const { id, token } = await onboard();
  const enter = async (one: string) => (await ask("GET", "/api/jobs", undefined, one)).status;
  const second = (await ask("POST", `/api/apps/${id}/rotate-token`, {})).body;
  expect([await enter(token), await enter(second.token)]).toEqual([200, 200]);
  const [, oldest] = (await ask("GET", `/api/apps/${id}`)).body.tokens;
  expect(Date.parse(oldest.expires_at) - Date.now()).toBeGreaterThan(86_000_000);
  expect((await ask("DELETE", `/api/apps/${id}/tokens/${oldest.id}`)).status).toBe(204);
  expect([await enter(token), await enter(second.token)]).toEqual([401, 200]);
  expect((await ask("DELETE", `/api/apps/${id}/tokens/${oldest.id}`)).status).toBe(404);
  const third = await ask("POST", `/api/apps/${id}/rotate-token`, { old_valid_ms: 0 });
  expect([await enter(second.token), await enter(third.body.token)]).toEqual([401, 200]);
  const secret = await ask("POST", `/api/apps/${id}/rotate-signing-secret`, {});
  expect(secret.body.signing_secret).toMatch(/^whsec_/);
  const { signing_secrets } = (await ask("GET", `/api/apps/${id}`)).body;
  expect(signing_secrets).toHaveLength(2);
  const path = `/api/apps/${id}/signing-secrets/`;
  expect((await ask("DELETE", path + signing_secrets[1].id)).status).toBe(204);
  expect((await ask("DELETE", path + signing_secrets[0].id)).status).toBe(422);
  for (const old_valid_ms of [-1, 1.5, 31 * 86_400_000]) {
    expect((await ask("POST", `/api/apps/${id}/rotate-token`, { old_valid_ms })).status).toBe(422);
  }
});

test("an app that asks too often waits, the others do not", async () => {
  const { ask, onboard } = await scene({ "limits.appRequestsPerMinute": "3" });
  const [one, other] = [await onboard(), await onboard()];
  for (let nth = 0; nth < 3; nth++) {
    expect((await ask("GET", "/api/jobs", undefined, one.token)).status).toBe(200);
  }
  const refused = await ask("GET", "/api/jobs", undefined, one.token);
  expect(refused).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await ask("GET", "/api/jobs", undefined, other.token)).status).toBe(200);
  expect((await ask("GET", "/api/jobs")).status).toBe(200);
});

test("deleted while its job runs and its stream is open: both end, and a foreign app's do not", async () => {
  const { engine, url, held, ask, onboard } = await scene();
  const [gone, stays] = [await onboard(), await onboard()];
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  for (const { token } of [gone, stays]) {
    await ask("POST", "/api/jobs", { type: "hold", input: {} }, token);
  }
  await waitUntil("both jobs", () => held.length === 2);
  const ended: string[] = [];
  for (const { id, token } of [gone, stays]) {
    const stream = readStream(`${url}/api/events`, { authorization: `Bearer ${token}` });
    void (async () => {
      for await (const _event of stream) {
        // until it ends
      }
      ended.push(id);
    })().catch(() => ended.push(id));
  }
  const metrics = { authorization: `Bearer ${engine.localToken}` };
  await waitUntil("both streams", async () => {
    const text = await (await fetch(`${url}/metrics`, { headers: metrics })).text();
    return text.includes("croft_event_streams 2");
  });
  await ask("DELETE", `/admin/api/apps/${gone.id}`);
  await waitUntil("the end of the stream", () => ended.length > 0);
  expect(ended).toEqual([gone.id]);
  await waitUntil("the end of the job", () => held.some(({ attempt }) => attempt.signal.aborted));
  expect(held.filter(({ attempt }) => attempt.signal.aborted)).toHaveLength(1);
});

test("a request whose app is deleted while it is at work is refused", async () => {
  const { engine, ask, onboard } = await scene();
  const { id, token } = await onboard();
  const client = await engine.database.pool.connect();
  await client.query("begin");
  await client.query("select croft.delete_app($1, 100)", [id]);
  const late = ask("PUT", "/api/secrets/LATE", { value: "v" }, token);
  await waitUntil("the wait", async () => {
    const { rows } = await engine.database.pool.query(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return rows.length > 0;
  });
  await client.query("commit");
  client.release();
  expect(await late).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
});
