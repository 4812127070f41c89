// Signing in and out, and who the browser is.
import { CurrentSession } from "@croft/contract";
import { createFirstAdmin, createSetupLink } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const host = "localhost:4747";
const origin = `http://${host}`;
const ada = { email: "ada@example.com", password: "correct horse battery" };

async function serve() {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const signIn = (payload: object, headers: Record<string, string> = {}) =>
    app.inject({
      method: "POST",
      url: "/api/session",
      headers: { host, origin, ...headers },
      payload,
    });
  const who = (headers: Record<string, string>) =>
    app.inject({ url: "/api/session", headers: { host, ...headers } });
  const signOut = (headers: Record<string, string>) =>
    app.inject({ method: "DELETE", url: "/api/session", headers: { host, origin, ...headers } });
  return { engine, signIn, who, signOut };
}

async function serveWithAda() {
  const server = await serve();
  const { token } = await createSetupLink(server.engine);
  const visitor = { address: "127.0.0.1", userAgent: "test" };
  await createFirstAdmin(server.engine, { ...ada, name: "Ada", token }, visitor);
  return server;
}

test("signing in sets a cookie that tells who one is, until one signs out", async () => {
  const { signIn, who, signOut } = await serveWithAda();
  const response = await signIn({ ...ada, email: " ADA@example.com" });
  expect(response.statusCode).toBe(201);
  const session = CurrentSession.strict().parse(response.json());
  const [given] = response.cookies;
  expect(given).toMatchObject({ name: "croft-session", httpOnly: true, sameSite: "Strict" });
  expect(given?.expires?.toISOString().slice(0, 16)).toBe(session.expires_at.slice(0, 16));

  const cookie = `croft-session=${given?.value}`;
  expect((await who({ cookie })).json()).toEqual(session);
  const ended = await signOut({ cookie, "x-csrf-token": session.csrf_token });
  expect(ended.statusCode).toBe(204);
  expect(ended.cookies).toEqual([
    expect.objectContaining({ name: "croft-session", value: "", path: "/" }),
  ]);
  expect((await who({ cookie })).json()).toMatchObject({ status: 401, code: "unauthenticated" });
});

test("a wrong password and an unknown e-mail are one answer, byte for byte, without a cookie", async () => {
  const { signIn } = await serveWithAda();
  const id = { "x-request-id": "same" };
  const wrong = await signIn({ ...ada, password: "wrong" }, id);
  const unknown = await signIn({ ...ada, email: "eve@example.com" }, id);
  expect(wrong.statusCode).toBe(401);
  expect(wrong.json()).toMatchObject({ code: "wrong-credentials" });
  expect(unknown.body).toBe(wrong.body);
  expect([...wrong.cookies, ...unknown.cookies]).toEqual([]);
});

test("after too many failures the answer says how long to wait", async () => {
  const { engine, signIn } = await serve();
  await engine.database.pool.query(`insert into croft.sign_in_limit
    values ('address:127.0.0.1', 10, croft.now() + interval '5 minutes')`);
  const response = await signIn(ada);
  expect(response.json()).toMatchObject({ status: 429, code: "too-many-attempts" });
  const seconds = Number(response.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(300);
});

test("signing out without the CSRF token does not sign out", async () => {
  const { signIn, who, signOut } = await serveWithAda();
  const { cookies } = await signIn(ada);
  const cookie = `croft-session=${cookies[0]?.value}`;
  expect((await signOut({ cookie })).json()).toMatchObject({ code: "wrong-csrf-token" });
  expect((await who({ cookie })).statusCode).toBe(200);
});

test("a token has no session to show or end", async () => {
  const { engine, who, signOut } = await serve();
  const headers = { authorization: `Bearer ${engine.localToken}` };
  expect((await who(headers)).json()).toMatchObject({ status: 404, code: "not-found" });
  expect((await signOut(headers)).json()).toMatchObject({ status: 404, code: "not-found" });
});

test.each([
  ["no e-mail", { password: "x" }],
  ["no password", { email: "ada@example.com" }],
  ["an empty password", { ...ada, password: "" }],
  ["a password of a megabyte's kind", { ...ada, password: "x".repeat(257) }],
  ["an e-mail that is none", { ...ada, email: "ada" }],
  ["an e-mail with a NUL, which no database takes", { ...ada, email: "a\u0000da@example.com" }],
  ["something else", { ...ada, remember: true }],
  ["a list", []],
])("%s is a wrong input and counts as no attempt", async (_what, payload) => {
  const { engine, signIn } = await serve();
  const response = await signIn(payload);
  expect(response.json()).toMatchObject({ status: 422, code: "invalid-input" });
  const { rowCount } = await engine.database.pool.query("select from croft.sign_in_limit");
  expect(rowCount).toBe(0);
});
