// An admin sees and ends the own sessions only; the local CLI sees and ends everybody's.
import { randomUUID } from "node:crypto";
import { SessionList } from "@croft/contract";
import { beginSession, type Engine } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const host = "localhost:4747";
const origin = `http://${host}`;

/** Somebody signed in, with the headers of their browser. */
async function signedIn({ database, config }: Engine, email: string) {
  const role = "viewer" as const;
  const { id, created_at } = await database.kysely
    .insertInto("croft.admin")
    .values({ email, name: email, password_hash: "none", role })
    .onConflict((conflict) => conflict.column("email").doUpdateSet({ name: email }))
    .returning(["id", "created_at"])
    .executeTakeFirstOrThrow();
  const admin = { id, email, name: email, role, created_at: created_at.toISOString() };
  const visitor = { address: "127.0.0.1", userAgent: "test" };
  const session = await beginSession(database, config, admin, visitor);
  const cookie = `croft-session=${session.secret}`;
  return { id: session.id, headers: { cookie, "x-csrf-token": session.csrfToken } };
}

async function serve() {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const list = async (headers: Record<string, string>) => {
    const response = await app.inject({
      url: "/admin/api/sessions",
      headers: { host, ...headers },
    });
    return SessionList.strict().parse(response.json()).sessions;
  };
  const end = (id: string, headers: Record<string, string>) =>
    app.inject({
      method: "DELETE",
      url: `/admin/api/sessions/${id}`,
      headers: { host, origin, ...headers },
    });
  return { engine, list, end, local: { authorization: `Bearer ${engine.localToken}` } };
}

test("an admin sees the own sessions with the current one marked, the local CLI everybody's", async () => {
  const { engine, list, local } = await serve();
  const here = await signedIn(engine, "ada@example.com");
  const there = await signedIn(engine, "ada@example.com");
  const grace = await signedIn(engine, "grace@example.com");
  const own = await list(here.headers);
  expect(new Map(own.map(({ id, current }) => [id, current]))).toEqual(
    new Map([
      [here.id, true],
      [there.id, false],
    ]),
  );
  const all = await list(local);
  expect(all.map(({ id }) => id).sort()).toEqual([here.id, there.id, grace.id].sort());
  expect(all.some(({ current }) => current)).toBe(false);
});

test("an admin ends another place of their own, and that place is signed out", async () => {
  const { engine, list, end } = await serve();
  const here = await signedIn(engine, "ada@example.com");
  const there = await signedIn(engine, "ada@example.com");
  expect((await end(there.id, here.headers)).statusCode).toBe(204);
  expect((await list(here.headers)).map(({ id }) => id)).toEqual([here.id]);
  await expect(list(there.headers)).rejects.toThrow(); // it gets a problem instead
});

test("a foreign session answers exactly as a missing one, and goes on", async () => {
  const { engine, list, end } = await serve();
  const ada = await signedIn(engine, "ada@example.com");
  const grace = await signedIn(engine, "grace@example.com");
  const id = { "x-request-id": "same" };
  const foreign = await end(grace.id, { ...ada.headers, ...id });
  const missing = await end(randomUUID(), { ...ada.headers, ...id });
  expect(foreign.statusCode).toBe(404);
  expect(foreign.body).toBe(missing.body);
  expect(await list(grace.headers)).toHaveLength(1);
});

test("the local CLI ends anybody's, once", async () => {
  const { engine, end, local } = await serve();
  const ada = await signedIn(engine, "ada@example.com");
  expect((await end(ada.id, local)).statusCode).toBe(204);
  expect((await end(ada.id, local)).json()).toMatchObject({ status: 404, code: "not-found" });
});

test("an id that is none is a wrong input", async () => {
  const { end, local } = await serve();
  const response = await end("1'--", local);
  expect(response.json()).toMatchObject({ status: 422, code: "invalid-input" });
});
