// The first admin is made once, with a link that works once.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Engine } from "../engine.ts";
import { isSetupNeeded } from "./admin-store.ts";
import { recogniseSession } from "./session.ts";
import { createFirstAdmin, createSetupLink } from "./setup.ts";

const visitor = { address: "127.0.0.1", userAgent: "test" };
const person = { email: "ada@example.com", name: "Ada", password: "correct horse battery" };

/** Moves the clock of the only connection there is; every later statement sees it. */
async function moveClock({ database }: Engine, offset: string): Promise<void> {
  await database.pool.query("select set_config('croft.clock_offset', $1, false)", [offset]);
  expect(database.pool.totalCount).toBe(1);
}

const countAdmins = async ({ database }: Engine) =>
  (await database.pool.query("select count(*)::int as n from croft.admin")).rows[0].n;

test("the link makes the first admin and signs in", async () => {
  const engine = await scratchEngine();
  expect(await isSetupNeeded(engine.database)).toBe(true);
  const { token } = await createSetupLink(engine);
  const session = await createFirstAdmin(engine, { token, ...person }, visitor);
  expect(session.admin).toMatchObject({ email: "ada@example.com", name: "Ada", role: "admin" });
  expect(await isSetupNeeded(engine.database)).toBe(false);
  const recognised = await recogniseSession(engine.database, engine.config, session.secret);
  expect(recognised?.admin).toEqual(session.admin);
});

test("the password is kept as a hash only, and no link is left", async () => {
  const engine = await scratchEngine();
  const { token } = await createSetupLink(engine);
  await createSetupLink(engine);
  await createFirstAdmin(engine, { token, ...person }, visitor);
  const { rows } = await engine.database.pool.query("select * from croft.admin");
  expect(rows[0].password_hash).toMatch(/^\$argon2id\$/);
  expect(JSON.stringify(rows)).not.toContain(person.password);
  const links = await engine.database.pool.query("select from croft.setup_link");
  expect(links.rowCount).toBe(0);
});

test("a second use of the link is refused, and another link is not made", async () => {
  const engine = await scratchEngine();
  const { token } = await createSetupLink(engine);
  await createFirstAdmin(engine, { token, ...person }, visitor);
  const again = { token, ...person, email: "eve@example.com" };
  await expect(createFirstAdmin(engine, again, visitor)).rejects.toMatchObject({
    code: "setup-done",
  });
  await expect(createSetupLink(engine)).rejects.toMatchObject({ code: "setup-done" });
  expect(await countAdmins(engine)).toBe(1);
});

test("an invented token is refused with the way out", async () => {
  const engine = await scratchEngine();
  await createSetupLink(engine);
  for (const token of ["", "x", "a".repeat(256)]) {
    await expect(createFirstAdmin(engine, { token, ...person }, visitor)).rejects.toMatchObject({
      code: "setup-link-invalid",
      message: expect.stringContaining("'croft login' prints a new one"),
    });
  }
  expect(await countAdmins(engine)).toBe(0);
});

test("a link works until its time is over, and then no more", async () => {
  const engine = await scratchEngine({ "setup.linkLifetime": "10m" });
  const { token } = await createSetupLink(engine);
  await moveClock(engine, "10 minutes 1 second");
  await expect(createFirstAdmin(engine, { token, ...person }, visitor)).rejects.toMatchObject({
    code: "setup-link-invalid",
  });
  await moveClock(engine, "9 minutes");
  await createFirstAdmin(engine, { token, ...person }, visitor);
});

test("several links are open at the same time, and the newest does not end the others", async () => {
  const engine = await scratchEngine();
  const first = await createSetupLink(engine);
  const second = await createSetupLink(engine);
  expect(first.token).not.toBe(second.token);
  await createFirstAdmin(engine, { token: first.token, ...person }, visitor);
});

test("of several at the same moment exactly one becomes the admin, the others are told so", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const links = [await createSetupLink(engine), await createSetupLink(engine)];
  const tokens = [...links, ...links].map(({ token }) => token);
  // Held up at the last moment, all of them have seen that there is no admin yet.
  const barrier = await pool.connect();
  await barrier.query("begin; lock table croft.admin in share row exclusive mode");
  const attempts = Promise.allSettled(
    tokens.map((token, index) =>
      createFirstAdmin(engine, { token, ...person, email: `${index}@example.com` }, visitor),
    ),
  );
  await waitUntil("all to stand at the barrier", async () => {
    const { rows } = await pool.query(`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return rows[0].waiting === tokens.length;
  });
  await barrier.query("commit");
  barrier.release();

  const outcomes = (await attempts).map((attempt) =>
    attempt.status === "fulfilled" ? "admin" : attempt.reason.code,
  );
  expect(outcomes.sort()).toEqual(["admin", "setup-done", "setup-done", "setup-done"]);
  expect(await countAdmins(engine)).toBe(1);
});

test("the token is nowhere in the database", async () => {
  const engine = await scratchEngine();
  const { token } = await createSetupLink(engine);
  const { rows } = await engine.database.pool.query(
    "select to_jsonb(l) as row from croft.setup_link l",
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString("hex"));
});
