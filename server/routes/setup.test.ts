// The first admin is created from the dashboard with the one-time link.
import { CurrentSession, type Setup } from "@croft/contract";
import { createSetupLink } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const host = "localhost:4747";
const origin = `http://${host}`;
const ada = { email: " Ada@Example.com ", name: " Ada ", password: "correct horse battery" };

async function serve(flags: Record<string, string | boolean> = {}) {
  const engine = await scratchEngine(flags);
  const app = await scratchServer(engine, { ownUrl: () => "http://127.0.0.1:4747" });
  const setUp = (payload: Partial<Setup>, headers: Record<string, string> = {}) =>
    app.inject({
      method: "POST",
      url: "/api/setup",
      headers: { host, origin, ...headers },
      payload,
    });
  return { engine, app, setUp };
}

test("the link makes the first admin, signs in, and set-up is over", async () => {
  const { app, engine, setUp } = await serve();
  expect((await app.inject("/api/setup")).json()).toEqual({ needed: true });
  const { token } = await createSetupLink(engine);
  const response = await setUp({ ...ada, token });
  expect(response.statusCode).toBe(201);
  const { admin } = CurrentSession.strict().parse(response.json());
  expect(admin).toMatchObject({ email: "ada@example.com", name: "Ada", role: "admin" });
  expect((await app.inject("/api/setup")).json()).toEqual({ needed: false });

  const [cookie] = response.cookies;
  expect(cookie).toMatchObject({
    name: "croft-session",
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
  });
  expect(response.body).not.toContain(cookie?.value);
  const headers = { host, cookie: `croft-session=${cookie?.value}` };
  expect((await app.inject({ url: "/api/session", headers })).json().admin).toEqual(admin);
});

test("over TLS the cookie is Secure and bound to the host", async () => {
  const flags = { "http.publicUrl": "https://croft.example.com", "http.trustProxy": true };
  const { engine, setUp } = await serve(flags);
  const { token } = await createSetupLink(engine);
  const response = await setUp(
    { ...ada, token },
    {
      host: "croft.example.com",
      origin: "https://croft.example.com",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "203.0.113.9",
    },
  );
  expect(response.statusCode).toBe(201);
  expect(response.cookies).toEqual([
    expect.objectContaining({ name: "__Host-croft-session", secure: true, path: "/" }),
  ]);
  expect(response.cookies[0]?.domain).toBeUndefined();
});

test("a used link and a wrong one are told apart from each other, and set no cookie", async () => {
  const { engine, setUp } = await serve();
  const { token } = await createSetupLink(engine);
  const wrong = await setUp({ ...ada, token: "wrong" });
  expect([wrong.statusCode, wrong.json().code]).toEqual([410, "setup-link-invalid"]);
  await setUp({ ...ada, token });
  const used = await setUp({ ...ada, token });
  expect([used.statusCode, used.json().code]).toEqual([409, "setup-done"]);
  expect([...wrong.cookies, ...used.cookies]).toEqual([]);
});

test("what is not valid is named by field, and the link stays good", async () => {
  const { engine, setUp } = await serve();
  const { token } = await createSetupLink(engine);
  const fieldsOf = async (payload: object) => {
    const response = await setUp(payload);
    expect(response.json()).toMatchObject({ status: 422, code: "invalid-input" });
    return response.json().errors.map(({ path }: { path: string }) => path);
  };
  expect(await fieldsOf({ ...ada, token, password: "elevenchars" })).toEqual(["password"]);
  expect(await fieldsOf({ ...ada, token, password: "x".repeat(257) })).toEqual(["password"]);
  expect(await fieldsOf({ ...ada, token, email: "ada" })).toEqual(["email"]);
  expect(await fieldsOf({ ...ada, token, name: "   " })).toEqual(["name"]);
  expect(await fieldsOf({ ...ada })).toEqual(["token"]);
  expect(await fieldsOf({ ...ada, token, role: "admin" })).toEqual([""]);
  expect((await setUp({ ...ada, token })).statusCode).toBe(201);
});

test.each(["email", "name"])(
  "a NUL in the %s, which no database takes, is a wrong input",
  async (field) => {
    const { engine, setUp } = await serve();
    const { token } = await createSetupLink(engine);
    const response = await setUp({ ...ada, token, [field]: "a\u0000b@example.com" });
    expect(response.json()).toMatchObject({ status: 422, code: "invalid-input" });
  },
);

test("another site cannot set up", async () => {
  const { engine, setUp } = await serve();
  const { token } = await createSetupLink(engine);
  const response = await setUp({ ...ada, token }, { origin: "https://evil.example.com" });
  expect(response.json()).toMatchObject({ status: 403, code: "forbidden-origin" });
});

test("the local CLI gets a new link, with the secret where no server sees it, until there is an admin", async () => {
  const { app, engine, setUp } = await serve();
  const ask = () =>
    app.inject({
      method: "POST",
      url: "/admin/api/setup-links",
      headers: { authorization: `Bearer ${engine.localToken}` },
    });
  const response = await ask();
  expect(response.statusCode).toBe(201);
  const { url, expires_at } = response.json();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4747\/setup#[\w-]{43}$/);
  expect(new Date(expires_at).getTime()).toBeGreaterThan(Date.now());
  expect((await setUp({ ...ada, token: new URL(url).hash.slice(1) })).statusCode).toBe(201);
  expect((await ask()).json()).toMatchObject({ status: 409, code: "setup-done" });
});
