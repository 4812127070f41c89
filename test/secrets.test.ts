// Secrets over real HTTP and the command line: written, never read back, and in no log, event, error or document.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createApp, type Database } from "@croft/engine";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  croftCommand,
  type RunningServer,
  runCroft,
  startServer,
} from "./support/croft-process.ts";
import { waitUntil } from "./support/wait-until.ts";

const CANARY = "hunter2-canary";
let server: RunningServer;
const tokens = { local: "", one: "", other: "" };
const data = join(inject("scratch"), "secrets");
const answers: string[] = [];

beforeAll(async () => {
  server = await startServer(data, { env: { CROFT_LOG_LEVEL: "trace" } });
  tokens.local = server.token;
  const pool = new pg.Pool(embedded());
  for (const name of ["one", "other"] as const) {
    tokens[name] = (await createApp({ pool } as Database, name)).token;
  }
  await pool.end();
});

afterAll(async () => {
  await server.stop();
  rmSync(data, { recursive: true });
});

function embedded(): pg.ClientConfig {
  return { host: join(data, "postgres/socket"), user: "croft", database: "croft" };
}

async function ask(who: keyof typeof tokens, method: string, path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${tokens[who]}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** The command, with this on its stdin. */
async function croft(
  args: readonly string[],
  input = "",
): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [croftCommand, ...args, "--data", data], {
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  child.stdin.end(input);
  const [code] = await once(child, "close");
  answers.push(output);
  return { code, output };
}

test("people set secrets of an installation of the GitHub App, and of nobody else; apps do not", async () => {
  const put = (who: keyof typeof tokens, owner: string) =>
    ask(who, "PUT", `/api/secrets/INSTALLED?owner=${owner}`, { value: CANARY });
  expect(await put("local", "installation:41")).toMatchObject({
    ...{ status: 200, body: { owner: "installation:41", name: "INSTALLED" } },
  });
  for (const owner of ["local", "installation:0", "installation:1x", "app:1", ""]) {
    expect((await put("local", owner)).status).toBe(422);
  }
  expect((await put("one", "installation:41")).status).toBe(404);
  const removed = await ask("local", "DELETE", "/api/secrets/INSTALLED?owner=installation:41");
  expect(removed.status).toBe(204);
});

test("an app sets, lists and removes its own; a foreign one is as one that is missing", async () => {
  const put = await ask("one", "PUT", "/api/secrets/TOKEN", { value: `${CANARY}-1` });
  expect(put.status).toBe(200);
  expect(Object.keys(put.body).sort()).toEqual([
    ...["created_at", "last_used_at", "name", "owner", "updated_at"],
  ]);
  expect((await ask("other", "GET", "/api/secrets")).body.secrets).toEqual([]);
  expect((await ask("one", "GET", "/api/secrets")).body.secrets).toHaveLength(1);
  const { owner } = put.body;
  const foreign = await ask("other", "DELETE", `/api/secrets/TOKEN?owner=${owner}`);
  const missing = await ask("other", "DELETE", "/api/secrets/NEVER");
  const unidentified = ({ status, body }: typeof foreign) => [status, { ...body, request_id: "" }];
  expect(unidentified(foreign)).toEqual(unidentified(missing));
  expect(foreign.status).toBe(404);
  expect((await ask("local", "GET", `/api/secrets?owner=${owner}`)).body.secrets).toHaveLength(1);
  expect((await ask("local", "DELETE", `/api/secrets/TOKEN?owner=${owner}`)).status).toBe(204);
  expect((await ask("one", "DELETE", "/api/secrets/TOKEN")).status).toBe(404);
});

test.each([
  ["NAME", { value: "" }],
  ["NAME", {}],
  ["NAME", { value: `${CANARY}\0` }],
  ["NAME", { value: `${CANARY}\ud800` }],
  ["NAME", { value: "ü".repeat(40_000) }],
  ["NAME", { value: 7 }],
  ["NAME", { value: CANARY, more: CANARY }],
  ["1NAME", { value: CANARY }],
  ["N".repeat(65), { value: CANARY }],
  ["N%2FM", { value: CANARY }],
])("%s with %j is refused, without an echo", async (name, body) => {
  const { status, body: problem } = await ask("one", "PUT", `/api/secrets/${name}`, body);
  expect(status).toBe(422);
  expect(JSON.stringify(problem)).not.toContain(CANARY);
});

test("the largest value there may be comes through", async () => {
  const value = `${CANARY}${"\n".repeat(65_536 - CANARY.length)}`;
  expect((await ask("one", "PUT", "/api/secrets/LARGE", { value })).status).toBe(200);
});

test("credentials are for one address, and shown without their value", async () => {
  const credential = { kind: "token", url: "https://GitHub.com/acme", value: `${CANARY}-token` };
  const made = await ask("one", "POST", "/api/credentials", credential);
  expect(made).toMatchObject({
    status: 201,
    body: { url: "https://github.com/acme", username: "x-access-token", state: "unchecked" },
  });
  expect(made.body).not.toHaveProperty("value");
  const again = await ask("one", "POST", "/api/credentials", credential);
  expect(again.body.id).toBe(made.body.id);
  for (const url of ["http://github.com", `https://u:${CANARY}@github.com`, "nonsense"]) {
    expect((await ask("one", "POST", "/api/credentials", { ...credential, url })).status).toBe(422);
  }
  expect((await ask("other", "GET", "/api/credentials")).body.credentials).toEqual([]);
  const path = `/api/credentials/${made.body.id}`;
  expect((await ask("other", "DELETE", path)).status).toBe(404);
  expect((await ask("one", "DELETE", path)).status).toBe(204);
  expect((await ask("one", "DELETE", path)).status).toBe(404);
});

test("the command takes a value from stdin only, and rotates the key", async () => {
  expect(await croft(["secrets", "set", "FROM_PIPE"], `${CANARY}-pipe\n`)).toMatchObject({
    code: 0,
  });
  expect((await croft(["secrets", "set", "X", CANARY])).code).toBe(2);
  expect((await croft(["secrets", "set", "not a name"], "v")).code).toBe(1);
  const { output } = await croft(["secrets", "list"]);
  expect(output).toMatch(/^FROM_PIPE\tlocal\t\S+\t-$/m);
  const before = (await ask("local", "GET", "/admin/api/encryption-keys")).body;
  const rotated = await croft(["secrets", "rotate-key"]);
  expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining("is encrypted with") });
  const after = (await ask("local", "GET", "/admin/api/encryption-keys")).body;
  expect(after.keys).toHaveLength(1);
  expect(after.keys[0].id).not.toBe(before.keys[0].id);
  expect((await croft(["secrets", "remove", "FROM_PIPE"])).code).toBe(0);
  expect((await croft(["secrets", "remove", "FROM_PIPE"])).code).toBe(1);
});

test("a value that is typed is not shown", async () => {
  const command = [process.execPath, croftCommand, "secrets", "set", "TYPED", "--data", data];
  const child = spawn(
    "script",
    ["-qec", command.map((word) => `'${word}'`).join(" "), "/dev/null"],
    {
      env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", TERM: "xterm" },
    },
  );
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
  });
  const closed = once(child, "close");
  await waitUntil("the prompt", () => shown.includes("Value of TYPED"));
  child.stdin.write(`${CANARY}-typed\r`);
  await waitUntil("the answer", () => shown.includes("Secret TYPED is set."));
  await closed;
  expect(shown).not.toContain(CANARY);
  const { body } = await ask("local", "GET", "/api/secrets");
  expect(body.secrets).toContainEqual(expect.objectContaining({ name: "TYPED" }));
});

test("after all that the value is in no answer, log, event, row or document", async () => {
  const client = new pg.Client(embedded());
  await client.connect();
  const { rows: events } = await client.query("select * from croft.event");
  const { rows: stored } = await client.query(
    "select s.*, encode(ciphertext, 'escape') as text from croft.secret s",
  );
  await client.end();
  expect(events.some(({ type }) => type === "secret.changed")).toBe(true);
  expect(stored.length).toBeGreaterThan(0);
  const document = await (await fetch(`${server.url}/api/openapi.json`)).text();
  const postgresLog = readFileSync(join(data, "postgres/postgres.log"), "utf8");
  expect(server.output()).toContain("/api/secrets/:name"); // it logs, and on every level
  for (const text of [server.output(), postgresLog, document, JSON.stringify([events, stored])]) {
    expect(text).not.toContain(CANARY);
  }
  expect(answers.filter((text) => text.includes(CANARY))).toEqual([]);
});

test("a server whose key file is gone says so, and does not start", async () => {
  await server.stop();
  rmSync(join(data, "keys"), { recursive: true });
  const failing = runCroft(["serve", "--data", data, "--http-port", "0"]);
  expect(await failing.exit).toBe(1);
  expect(failing.output()).toMatch(
    /encrypted with the key '\w+', which is not in .*\(secret-key-missing\)/,
  );
});
