// A credential is tried before it is kept, sets free what the one before could not read, and is told of before it ends.
import { join } from "node:path";
import { startDispatching, warnExpiring } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { makeAuthority } from "./support/make-authority.ts";
import { makeRepository } from "./support/make-repository.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { scratchEngine } from "./support/scratch-engine.ts";
import { serveGit } from "./support/serve-git.ts";
import { waitUntil } from "./support/wait-until.ts";
import { asking } from "./support/watched-repository.ts";

const DAY_MS = 86_400_000;

async function scene() {
  const root = await scratchDirectory();
  const authority = makeAuthority(root);
  await makeRepository(join(root, "remotes"), "private", { files: 3 });
  const remote = await serveGit(join(root, "remotes"), authority.identity);
  onTestFinished(() => remote.close());
  remote.tokens = new Set(["good"]);
  const engine = await scratchEngine({
    ...{ "git.caFile": authority.caFile, allowPrivate: remote.host, "watches.poll": "1h" },
  });
  const ask = await asking(engine);
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  const body = { name: "docs", email: "a@b.example" };
  const app = (await ask(engine.localToken, "POST", "/api/apps/onboard", { body })).json();
  const put = async (value: string, more: object = {}) => {
    const credential = { kind: "token", url: `https://${remote.host}`, value, ...more };
    return await ask(app.token, "POST", "/api/credentials", { body: credential });
  };
  return { remote, engine, ask, query, app, put, url: remote.url("private") };
}

test("one that is refused is not kept, and the old one stays", async () => {
  const { remote, engine, ask, app, put, url, query } = await scene();
  const refused = await put("bad", { check_url: url });
  expect(refused.json()).toMatchObject({ status: 422, code: "invalid-input" });
  expect(refused.bytes.toString()).not.toContain('bad"');
  const elsewhere = await put("good", { check_url: "https://example.com/a.git" });
  expect(elsewhere.json()).toMatchObject({ status: 422 });
  expect((await put("good", { check_url: "nonsense" })).status).toBe(422);
  expect((await put("good", { check_url: remote.url("none") })).status).toBe(422);
  expect(await query("select 1 from croft.credential")).toEqual([]);
  expect((await put("unknown")).json()).toMatchObject({ state: "unchecked", checked_at: null });
  const kept = await put("good", { check_url: url });
  expect(kept.json()).toMatchObject({ state: "working", checked_at: expect.any(String) });
  const watch = { url, include: [], exclude: [] };
  expect((await ask(app.token, "POST", "/api/repositories", { body: watch })).status).toBe(201);
  // What is watched by it is what it is tried with.
  const before = await query("select ciphertext, seq from croft.credential");
  expect((await put("bad")).status).toBe(422);
  expect(await query("select ciphertext, seq from croft.credential")).toEqual(before);
  await remote.close();
  expect((await put("good")).json()).toMatchObject({ status: 503, code: "unavailable" });
  expect(await query("select ciphertext, seq from croft.credential")).toEqual(before);
  expect(engine.config.watches.poll).toBe(3_600_000);
});

test("a new one is tried by the watches that were refused, at once", async () => {
  const { remote, engine, ask, app, put, url, query } = await scene();
  await put("good");
  const watch = { url, include: [], exclude: [] };
  const { id } = (await ask(app.token, "POST", "/api/repositories", { body: watch })).json();
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  const seen = async () => (await ask(app.token, "GET", `/api/repositories/${id}`)).json();
  await waitUntil("its first sync", async () => (await seen()).commit !== null);
  remote.tokens = new Set(["newer"]);
  await query("update croft.watch set checked_at = null");
  await query("update croft.repository set next_poll_at = now()");
  await query("select pg_notify('croft_watch', '')");
  await waitUntil("the refusal", async () => (await seen()).held === true);
  expect((await put("good")).status).toBe(422);
  expect((await put("newer")).status).toBe(201);
  await waitUntil("it to be free again", async () => {
    const { held, state } = await seen();
    return !held && state === "synced";
  });
});

test("its end is told of a week and a day before, each once", async () => {
  const { engine, ask, put, query } = await scene();
  const soon = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const { id } = (await put("a", { expires_at: soon(6.5) })).json();
  await put("b", { username: "later", expires_at: soon(8) });
  await put("c", { username: "never" });
  const told = async () =>
    (
      await query(
        "select subject, data ->> 'within' as within from croft.event where type = 'credential.expiring' order by at",
      )
    ).map(({ subject, within }) => `${subject === id ? "it" : "other"} ${within}`);
  const overview = async () =>
    (await ask(engine.localToken, "GET", "/api/overview")).json().apps.expiring_credentials;
  expect(await Promise.all([warnExpiring(engine.database), warnExpiring(engine.database)])).toEqual(
    expect.arrayContaining([1, 0]),
  );
  expect(await told()).toEqual(["it 7 days"]);
  expect(await overview()).toBe(1);
  await query(
    "update croft.credential set expires_at = now() + interval '20 hours' where id = $1",
    [id],
  );
  for (let nth = 0; nth < 3; nth++) await warnExpiring(engine.database);
  expect(await told()).toEqual(["it 7 days", "it 1 day"]);
  await put("a", { expires_at: soon(0.5) }); // in its place, and late already
  for (let nth = 0; nth < 3; nth++) await warnExpiring(engine.database);
  expect(await told()).toEqual(["it 7 days", "it 1 day", "it 1 day"]);
});
