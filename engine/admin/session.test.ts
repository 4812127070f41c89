// A session lasts while it is used and not longer than its lifetime; the database knows only its digest.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import type { Engine } from "../engine.ts";
import { adminOf } from "./admin-store.ts";
import { newSecret } from "./secret.ts";
import { beginSession, endSession, listSessions, recogniseSession } from "./session.ts";

const visitor = { address: "192.0.2.1", userAgent: "Firefox" };
type Whose = Parameters<typeof listSessions>[2];
const everybody: Whose = { adminId: undefined, currentId: undefined };

async function addAdmin({ database }: Engine, email: string) {
  const row = await database.kysely
    .insertInto("croft.admin")
    .values({ email, name: "Ada", password_hash: "none", role: "admin" })
    .returningAll()
    .executeTakeFirstOrThrow();
  return adminOf(row);
}

async function prepare(flags: Record<string, string> = {}) {
  const engine = await scratchEngine(flags);
  const { database, config } = engine;
  const admin = await addAdmin(engine, "ada@example.com");
  return {
    ...engine,
    admin,
    begin: (by = admin) => beginSession(database, config, by, visitor),
    recognise: (secret: string) => recogniseSession(database, config, secret),
    list: (whose: Whose = everybody) => listSessions(database, config, whose),
    /** Moves the clock of the only connection there is; every later statement sees it. */
    at: async (offset: string) => {
      await database.pool.query("select set_config('croft.clock_offset', $1, false)", [offset]);
      expect(database.pool.totalCount).toBe(1);
    },
  };
}

test("a session that began is recognised, with the admin, the same CSRF token and its end", async () => {
  const { admin, begin, recognise } = await prepare();
  const session = await begin();
  expect(session.admin).toEqual(admin);
  expect(await recognise(session.secret)).toEqual(session);
});

test("an invented secret is nobody's", async () => {
  const { begin, recognise } = await prepare();
  const { secret } = await begin();
  for (const guess of ["", "guess", newSecret(), secret.toLowerCase(), `${secret} `]) {
    expect(await recognise(guess)).toBeUndefined();
  }
});

test("two sessions have two secrets and two CSRF tokens, and neither token is the secret", async () => {
  const { begin } = await prepare();
  const [first, second] = [await begin(), await begin()];
  expect(first.secret).not.toBe(second.secret);
  expect(first.csrfToken).not.toBe(second.csrfToken);
  expect(first.csrfToken).not.toContain(first.secret);
});

test("neither the secret nor the CSRF token is in any table of the database", async () => {
  const { begin, recognise, database } = await prepare();
  const { secret, csrfToken } = await begin();
  await recognise(secret);
  const { rows: tables } = await database.pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'croft'",
  );
  expect(tables.map(({ name }) => name)).toContain("croft.session");
  for (const { name } of tables) {
    const { rows } = await database.pool.query(`select to_jsonb(t)::text as row from ${name} t`);
    const text = JSON.stringify(rows);
    for (const hidden of [secret, csrfToken]) {
      expect(text).not.toContain(hidden);
      expect(text).not.toContain(Buffer.from(hidden).toString("hex"));
      expect(text).not.toContain(Buffer.from(hidden, "base64url").toString("hex"));
    }
  }
});

test("an unused session ends after the idle time", async () => {
  const { begin, recognise, list, at } = await prepare({ "session.idle": "1h" });
  const { secret } = await begin();
  await at("61 minutes");
  expect(await recognise(secret)).toBeUndefined();
  expect(await list()).toEqual([]);
});

test("a used session goes on past the idle time", async () => {
  const { begin, recognise, at } = await prepare({ "session.idle": "1h" });
  const { secret } = await begin();
  for (const offset of ["50 minutes", "100 minutes", "150 minutes"]) {
    await at(offset);
    expect(await recognise(secret)).toBeDefined();
  }
  await at("211 minutes");
  expect(await recognise(secret)).toBeUndefined();
});

test("a session with a short idle time goes on while it is used", async () => {
  const { begin, recognise, at } = await prepare({ "session.idle": "30s" });
  const { secret } = await begin();
  for (const offset of ["20 s", "40 s", "60 s"]) {
    await at(offset);
    expect(await recognise(secret)).toBeDefined();
  }
});

test("a session ends at its lifetime though it is used all the time", async () => {
  const { begin, recognise, at } = await prepare({
    "session.idle": "1h",
    "session.lifetime": "2h",
  });
  const { secret, expiresAt } = await begin();
  for (const offset of ["40 minutes", "80 minutes", "119 minutes"]) {
    await at(offset);
    expect((await recognise(secret))?.expiresAt).toEqual(expiresAt);
  }
  await at("120 minutes 1 second");
  expect(await recognise(secret)).toBeUndefined();
});

test("sessions whose lifetime is over are removed when another begins", async () => {
  const { begin, database, at } = await prepare({ "session.lifetime": "8d" });
  await begin();
  await at("9 days");
  const { id } = await begin();
  const { rows } = await database.pool.query("select id from croft.session");
  expect(rows).toEqual([{ id }]);
});

test("the list shows an admin's own sessions, or everybody's, the last used first", async () => {
  const engine = await prepare();
  const { begin, recognise, list, at, admin } = engine;
  const grace = await addAdmin(engine, "grace@example.com");
  const [early, late, foreign] = [await begin(), await begin(), await begin(grace)];
  await at("5 minutes");
  await recognise(early.secret);
  const own = await list({ adminId: admin.id, currentId: late.id });
  expect(own.map(({ id }) => id)).toEqual([early.id, late.id]);
  expect(own.map(({ current }) => current)).toEqual([false, true]);
  expect(own[0]).toMatchObject({ address: "192.0.2.1", user_agent: "Firefox", email: admin.email });
  expect(JSON.stringify(own)).not.toContain(early.secret);
  expect((await list()).map(({ id }) => id)).toContain(foreign.id);
});

test("an ended session is not recognised, the others are", async () => {
  const { begin, recognise, database, admin } = await prepare();
  const [ended, kept] = [await begin(), await begin()];
  expect(await endSession(database, { id: ended.id, adminId: admin.id })).toBe(true);
  expect(await endSession(database, { id: ended.id, adminId: admin.id })).toBe(false);
  expect(await recognise(ended.secret)).toBeUndefined();
  expect(await recognise(kept.secret)).toBeDefined();
});

test("an admin cannot end another one's session, the local CLI can", async () => {
  const engine = await prepare();
  const grace = await addAdmin(engine, "grace@example.com");
  const { id, secret } = await engine.begin();
  expect(await endSession(engine.database, { id, adminId: grace.id })).toBe(false);
  expect(await engine.recognise(secret)).toBeDefined();
  expect(await endSession(engine.database, { id, adminId: undefined })).toBe(true);
});

test("the sessions of an admin who is removed end", async () => {
  const { begin, recognise, database, admin } = await prepare();
  const { secret } = await begin();
  await database.pool.query("delete from croft.admin where id = $1", [admin.id]);
  expect(await recognise(secret)).toBeUndefined();
});

test("a very long user agent is cut, not refused", async () => {
  const { admin, database, config, list } = await prepare();
  const userAgent = "x".repeat(10_000);
  await beginSession(database, config, admin, { address: "::1", userAgent });
  expect((await list())[0]?.user_agent).toBe("x".repeat(300));
});
