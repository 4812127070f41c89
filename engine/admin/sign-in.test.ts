// Signing in: the right password opens a session, everything else gets one and the same answer.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { recogniseSession } from "./session.ts";
import { createFirstAdmin, createSetupLink } from "./setup.ts";
import { signIn } from "./sign-in.ts";

const ada = { email: "ada@example.com", password: "correct horse battery" };
const wrong = { ...ada, password: "wrong horse battery" };
const visitor = { address: "192.0.2.1", userAgent: "Firefox" };

async function prepare() {
  const engine = await scratchEngine();
  const { token } = await createSetupLink(engine);
  const { admin } = await createFirstAdmin(engine, { token, name: "Ada", ...ada }, visitor);
  return { engine, admin };
}

/** What a caller can see of a failure. */
async function failureOf(work: Promise<unknown>) {
  return await work.then(
    () => "signed in",
    ({ code, message, details }) => ({ code, message, details }),
  );
}

test("the right password opens a new session each time", async () => {
  const { engine, admin } = await prepare();
  const first = await signIn(engine, ada, visitor);
  const second = await signIn(engine, ada, visitor);
  expect(first.admin).toEqual(admin);
  expect(first.secret).not.toBe(second.secret);
  for (const { secret } of [first, second]) {
    expect(await recogniseSession(engine.database, engine.config, secret)).toBeDefined();
  }
});

test("a wrong password and an unknown e-mail give the same answer", async () => {
  const { engine } = await prepare();
  const answers = [
    await failureOf(signIn(engine, wrong, visitor)),
    await failureOf(signIn(engine, { ...ada, email: "eve@example.com" }, visitor)),
  ];
  expect(answers[0]).toEqual({
    code: "wrong-credentials",
    message: "e-mail or password is wrong",
    details: {},
  });
  expect(answers[1]).toEqual(answers[0]);
});

test("after 10 failures even the right password is refused, until the window is over", async () => {
  const { engine } = await prepare();
  for (let n = 0; n < 10; n++) {
    expect(await failureOf(signIn(engine, wrong, visitor))).toMatchObject({
      code: "wrong-credentials",
    });
  }
  expect(await failureOf(signIn(engine, ada, visitor))).toMatchObject({
    code: "too-many-attempts",
    details: { retryAfterSeconds: expect.any(Number) },
  });
  await signIn(engine, ada, { ...visitor, address: "192.0.2.2" }); // from elsewhere it works
  const { pool } = engine.database;
  await pool.query("select set_config('croft.clock_offset', '15 minutes 1 second', false)");
  expect(pool.totalCount).toBe(1);
  await signIn(engine, ada, visitor);
});

test("30 parallel wrong guesses are 10 guesses and 20 refusals", async () => {
  const { engine } = await prepare();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => failureOf(signIn(engine, wrong, visitor))),
  );
  const codes = answers.map((answer) => (typeof answer === "string" ? answer : answer.code));
  expect(codes.filter((code) => code === "wrong-credentials")).toHaveLength(10);
  expect(codes.filter((code) => code === "too-many-attempts")).toHaveLength(20);
  const { rows } = await engine.database.pool.query(
    "select failures from croft.sign_in_limit where bucket = 'address:192.0.2.1'",
  );
  expect(rows).toEqual([{ failures: 30 }]);
});

test("successes do not use up the limit", async () => {
  const { engine } = await prepare();
  for (let n = 0; n < 12; n++) await signIn(engine, ada, visitor);
  const { rows } = await engine.database.pool.query(
    "select max(failures) from croft.sign_in_limit",
  );
  expect(rows).toEqual([{ max: 0 }]);
});

test("a failure is logged with the address, without e-mail and password", async () => {
  const { engine } = await prepare();
  const logged: unknown[] = [];
  const log = { ...engine.log, warn: (...entry: unknown[]) => void logged.push(entry) };
  await failureOf(signIn({ ...engine, log }, wrong, visitor));
  expect(logged).toEqual([[{ address: "192.0.2.1" }, "sign-in failed"]]);
});
