// Apps: made with keys that are told once, changed, and known by two of each while one takes the other's place.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { finishRotation, readKeys, rotateKey } from "../secrets/rotate-key.ts";
import {
  openSigningSecrets,
  revokeSigningSecret,
  rotateSigningSecret,
} from "../secrets/signing-secret-store.ts";
import { recogniseApp, revokeToken, rotateToken } from "./app-token.ts";
import { changeApp, pingApp } from "./change-app.ts";
import { deleteApp } from "./delete-app.ts";
import { onboardApp } from "./onboard-app.ts";
import { listApps, readApp } from "./read-apps.ts";

const HOST = "127.0.0.1:9999";
const DAY_MS = 86_400_000;

async function scene() {
  const engine = await scratchEngine({ allowPrivate: HOST });
  const { database, vault } = engine;
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;
  const onboard = (more: object = {}) =>
    onboardApp(engine, {
      ...{ name: "docs", base_url: `http://${HOST}/in`, email: "a@b.example" },
      ...{ description: "", delivery_slots: 4, ...more },
    });
  return { engine, database, vault, query, onboard };
}

test("a new app has a token and a signing secret; neither is in the database or in an event", async () => {
  const { database, vault, query, onboard } = await scene();
  const { token, signing_secret, ...app } = await onboard();
  expect(app).toMatchObject({
    ...{ name: "docs", base_url: `http://${HOST}/in`, paused: false, watches: 0, open_jobs: 0 },
    endpoint: { state: "open", failures: 0 },
    tokens: [{ expires_at: null }],
    signing_secrets: [{ expires_at: null }],
  });
  expect(await recogniseApp(database, token)).toMatchObject({ id: app.id, name: "docs" });
  expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await openSigningSecrets(vault, app.id)).toEqual([signing_secret]);
  // Its token was asked about above, so it has been seen since.
  expect(await readApp(database, app.id)).toEqual({ ...app, last_seen_at: expect.any(String) });
  const stored = JSON.stringify([
    await query("select * from croft.app"),
    await query("select id, encode(digest, 'hex') from croft.app_token"),
    await query("select encode(ciphertext, 'escape') as text from croft.signing_secret"),
    await query("select * from croft.event"),
  ]);
  for (const secret of [token.split("_").at(-1), signing_secret.slice(6)]) {
    expect(stored).not.toContain(secret);
  }
  expect(
    await query("select seq, owner, type from croft.event where subject = $1", [app.id]),
  ).toEqual([{ seq: 1, owner: "local", type: "app.created" }]);
});

test("of tokens and signing secrets two are valid at a time, and each can be ended at once", async () => {
  const { database, vault, onboard } = await scene();
  const first = await onboard();
  const { id } = first;
  const second = await rotateToken(database, id, DAY_MS);
  const [newest, older] = (await readApp(database, id)).tokens;
  expect(newest).toMatchObject({ id: second.id, expires_at: null });
  const leftMs = Date.parse(older?.expires_at ?? "") - Date.now();
  expect(leftMs).toBeGreaterThan(DAY_MS - 60_000);
  expect(leftMs).toBeLessThanOrEqual(DAY_MS + 60_000);
  for (const { token } of [first, second])
    expect(await recogniseApp(database, token)).toBeDefined();
  const third = await rotateToken(database, id, DAY_MS);
  const known = async () =>
    await Promise.all(
      [first, second, third].map(
        async ({ token }) => (await recogniseApp(database, token)) !== undefined,
      ),
    );
  expect(await known()).toEqual([false, true, true]);
  await revokeToken(database, id, second.id);
  expect(await known()).toEqual([false, false, true]);
  await expect(revokeToken(database, id, second.id)).rejects.toMatchObject({ code: "not-found" });
  const other = await onboard();
  await expect(revokeToken(database, other.id, third.id)).rejects.toMatchObject({
    code: "not-found",
  });
  const fourth = await rotateToken(database, id, 0);
  expect(await known()).toEqual([false, false, false]);
  expect((await readApp(database, id)).tokens.map((each) => each.id)).toEqual([fourth.id]);

  const next = await rotateSigningSecret(vault, id, DAY_MS);
  expect(await openSigningSecrets(vault, id)).toEqual([next.signing_secret, first.signing_secret]);
  const last = await rotateSigningSecret(vault, id, DAY_MS);
  expect(await openSigningSecrets(vault, id)).toEqual([last.signing_secret, next.signing_secret]);
  await revokeSigningSecret(database, id, next.id);
  expect(await openSigningSecrets(vault, id)).toEqual([last.signing_secret]);
  await expect(revokeSigningSecret(database, id, last.id)).rejects.toThrow(
    /the only signing secret/,
  );
  expect(await openSigningSecrets(vault, id)).toEqual([last.signing_secret]);
  const { signing_secret } = await rotateSigningSecret(vault, id, 0);
  expect(await openSigningSecrets(vault, id)).toEqual([signing_secret]);
});

test("an old token and an old signing secret end by themselves", async () => {
  const { database, vault, query, onboard } = await scene();
  const first = await onboard();
  await rotateToken(database, first.id, DAY_MS);
  const { signing_secret } = await rotateSigningSecret(vault, first.id, DAY_MS);
  for (const table of ["app_token", "signing_secret"]) {
    await query(`update croft.${table} set expires_at = croft.now() where expires_at is not null`);
  }
  expect(await recogniseApp(database, first.token)).toBeUndefined();
  expect(await openSigningSecrets(vault, first.id)).toEqual([signing_secret]);
  const { tokens, signing_secrets } = await readApp(database, first.id);
  expect([tokens, signing_secrets].map(({ length }) => length)).toEqual([1, 1]);
});

test("many rotations at once leave two valid", async () => {
  const { database, vault, onboard } = await scene();
  const { id } = await onboard();
  await Promise.all(
    Array.from({ length: 8 }, () => [
      rotateToken(database, id, DAY_MS),
      rotateSigningSecret(vault, id, DAY_MS),
    ]).flat(),
  );
  const { tokens, signing_secrets } = await readApp(database, id);
  expect([tokens, signing_secrets].map(({ length }) => length)).toEqual([2, 2]);
});

test("signing secrets get a new encryption key with everything else; one that is damaged is passed over", async () => {
  const { vault, query, onboard } = await scene();
  const app = await onboard();
  const [before] = (await readKeys(vault)).keys;
  await rotateKey(vault);
  await finishRotation(vault);
  const { keys } = await readKeys(vault);
  expect(keys).toEqual([expect.objectContaining({ values: 1 })]);
  expect(keys[0]?.id).not.toBe(before?.id);
  expect(await openSigningSecrets(vault, app.id)).toEqual([app.signing_secret]);
  const other = await onboard();
  await query("update croft.signing_secret set app_id = $1 where app_id = $2", [other.id, app.id]);
  expect(await openSigningSecrets(vault, other.id)).toEqual([other.signing_secret]);
  expect(await openSigningSecrets(vault, app.id)).toEqual([]);
});

test("changed, paused and resumed; another address begins anew", async () => {
  const { engine, database, query, onboard } = await scene();
  const { id } = await onboard();
  const fail = () =>
    query(
      "update croft.app set endpoint_failures = 7, endpoint_gone_at = now(), endpoint_closed_until = now() + interval '1 hour'",
    );
  await fail();
  expect(
    await changeApp(engine, id, { name: "new", paused: true, delivery_slots: 9 }),
  ).toMatchObject({
    ...{ name: "new", paused: true, delivery_slots: 9, email: "a@b.example" },
    endpoint: { state: "gone", failures: 7 },
  });
  const moved = await changeApp(engine, id, { base_url: `http://${HOST}/other` });
  const open = { state: "open", failures: 0, closed_until: null, gone_at: null };
  expect(moved).toMatchObject({ base_url: `http://${HOST}/other`, paused: true, endpoint: open });
  await fail();
  expect((await changeApp(engine, id, { base_url: moved.base_url })).endpoint.state).toBe("gone");
  expect(await changeApp(engine, id, { paused: false })).toMatchObject({ endpoint: open });
  expect(await changeApp(engine, id, { base_url: null })).toMatchObject({ base_url: null });
  await expect(pingApp(database, id)).rejects.toMatchObject({ code: "invalid-input" });
  const events = await query("select seq, type from croft.event where subject = $1 order by seq", [
    id,
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  const missing = "01890000-0000-7000-8000-000000000000";
  await expect(changeApp(engine, missing, { name: "x" })).rejects.toMatchObject({
    code: "not-found",
  });
  await expect(changeApp(engine, missing, {})).rejects.toMatchObject({ code: "not-found" });
});

test("a ping is a delivery", async () => {
  const { database, query, onboard } = await scene();
  const { id } = await onboard();
  const delivery = await pingApp(database, id);
  expect(await query("select id, app_id, type, state, data from croft.delivery")).toEqual([
    { id: delivery, app_id: id, type: "ping", state: "pending", data: {} },
  ]);
  expect((await readApp(database, id)).pending_deliveries).toBe(1);
});

test("listed newest first, in pages, and found by a part of what they say", async () => {
  const { database, onboard } = await scene();
  for (const name of ["alpha", "beta 100%", "gamma"]) await onboard({ name });
  const names = async (query: object) =>
    (await listApps(database, { limit: 50, ...query })).apps.map(({ name }) => name);
  expect(await names({})).toEqual(["gamma", "beta 100%", "alpha"]);
  expect(await names({ search: "ALPH" })).toEqual(["alpha"]);
  expect(await names({ search: "%" })).toEqual(["beta 100%"]);
  expect(await names({ search: "_" })).toEqual([]);
  expect(await names({ search: "\\" })).toEqual([]);
  const page = await listApps(database, { limit: 2 });
  expect(await names({ cursor: page.next_cursor ?? "" })).toEqual(["alpha"]);
  const [first] = page.apps;
  expect(await names({ search: first?.id })).toEqual(["gamma"]);
  await deleteApp(database, first?.id ?? "");
  expect(await names({})).toEqual(["beta 100%", "alpha"]);
});
