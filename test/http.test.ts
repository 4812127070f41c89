// The server as a client on the network meets it: every failure is a problem, and none harms it.

import { rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { Problem, problemCodes } from "@croft/contract";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { ADMIN, createAdmin, type SignedIn, signInAsAdmin } from "./support/sign-in.ts";

let server: RunningServer;
let admin: SignedIn;
const data = join(inject("scratch"), "http");

beforeAll(async () => {
  server = await startServer(data);
  admin = await createAdmin(server);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain(ADMIN.password);
  rmSync(data, { recursive: true });
});

async function problemFrom(response: Response): Promise<Problem> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  expect(problem.request_id).toBe(response.headers.get("x-request-id"));
  expect(Object.keys(problemCodes)).toContain(problem.code);
  expect(JSON.stringify(problem)).not.toMatch(/\bat .*\.(js|ts):\d+|node_modules/);
  return problem;
}

const json = { "content-type": "application/json" };

const signInWith = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/session`, {
    method: "POST",
    headers: { ...json, origin: server.url, ...headers },
    body,
  });

const credentials = JSON.stringify({ email: ADMIN.email, password: ADMIN.password });

test("an unknown route", async () => {
  const problem = await problemFrom(await fetch(`${server.url}/api/nothing/here`));
  expect(problem).toMatchObject({ status: 404, code: "not-found" });
});

test("an unknown method of a known route", async () => {
  const response = await fetch(`${server.url}/api/overview`, { method: "PATCH" });
  expect(await problemFrom(response)).toMatchObject({ status: 404, code: "not-found" });
});

test("a path that is no URL", async () => {
  const problem = await problemFrom(await fetch(`${server.url}/api/%ff%zz`));
  expect(problem).toMatchObject({ status: 400, code: "bad-request" });
});

describe("bodies", () => {
  test.each([
    ["malformed JSON", '{"email": ', 400, "invalid-json"],
    ["nothing", "", 422, "invalid-input"],
    ["JSON of the wrong kind", "[1, 2]", 422, "invalid-input"],
    ["a poisoned prototype", '{"__proto__": {"role": "admin"}}', 400, "invalid-json"],
    ["an unknown field", '{"email":"a@b","password":"x","role":"admin"}', 422, "invalid-input"],
    ["a wrong type", '{"email": 1, "password": "x"}', 422, "invalid-input"],
  ])("%s", async (_name, body, status, code) => {
    expect(await problemFrom(await signInWith(body))).toMatchObject({ status, code });
  });

  test("each wrong field is named", async () => {
    const { errors } = await problemFrom(await signInWith('{"email": "nobody"}'));
    expect(errors?.map(({ path }) => path).sort()).toEqual(["email", "password"]);
  });

  test("another type than JSON, as a form of a foreign page sends it", async () => {
    const response = await signInWith(credentials, { "content-type": "text/plain" });
    expect(await problemFrom(response)).toMatchObject({
      status: 415,
      code: "unsupported-media-type",
    });
  });

  test.each([
    ["declared", { "content-length": String(100 * 1024 * 1024) }],
    ["undeclared", { "transfer-encoding": "chunked" }],
  ])("100 MB, %s, are refused without being read", async (_name, headers) => {
    const { status, body, sentBytes } = await sendLargeBody(headers, 100 * 1024 * 1024);
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 413, code: "too-large" });
    expect(sentBytes).toBeLessThan(50 * 1024 * 1024);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});

describe("bytes that are no HTTP", () => {
  test.each([
    ["garbage", "\0\x01\x02 hello\r\n\r\n", 400],
    ["an expectation nobody meets", "GET / HTTP/1.1\r\nhost: x\r\nexpect: banana\r\n\r\n", 400],
    ["a request without Host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n", 400],
    ["a header without end", `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(20_000)}\r\n\r\n`, 431],
  ])("%s", async (_name, bytes, status) => {
    const answer = await rawRequest(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain("application/problem+json");
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("browsers", () => {
  test("a missing session", async () => {
    const response = await fetch(`${server.url}/api/overview`);
    expect(await problemFrom(response)).toMatchObject({ status: 401, code: "unauthenticated" });
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
  });

  test.each(["https://evil.example", "null", "http://127.0.0.1:1"])(
    "a forged Origin %s cannot sign in, nor use a session",
    async (origin) => {
      const signingIn = await signInWith(credentials, { origin });
      expect(await problemFrom(signingIn)).toMatchObject({ status: 403, code: "forbidden-origin" });
      const signingOut = await fetch(`${server.url}/api/session`, {
        method: "DELETE",
        headers: { ...admin.headers, origin },
      });
      expect(await problemFrom(signingOut)).toMatchObject({ code: "forbidden-origin" });
    },
  );

  test("a session without its CSRF token changes nothing", async () => {
    const { "x-csrf-token": _, ...headers } = admin.headers;
    const response = await fetch(`${server.url}/api/session`, { method: "DELETE", headers });
    expect(await problemFrom(response)).toMatchObject({ status: 403, code: "wrong-csrf-token" });
    const still = await fetch(`${server.url}/api/session`, { headers: admin.headers });
    expect(still.status).toBe(200);
  });

  test("the cookie is for this server's pages alone, and no script can read it", async () => {
    const response = await signInWith(credentials);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^croft-session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict$/);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("signing out ends the session at the server", async () => {
    const { headers } = await signInAsAdmin(server);
    const out = await fetch(`${server.url}/api/session`, { method: "DELETE", headers });
    expect(out.status).toBe(204);
    expect((await fetch(`${server.url}/api/session`, { headers })).status).toBe(401);
  });

  test("a name that is not ours is refused, as a rebinding page would use it", async () => {
    const answer = await rawRequest(
      `POST /api/session HTTP/1.1\r\nhost: evil.example\r\norigin: http://evil.example\r\ncontent-type: application/json\r\ncontent-length: ${credentials.length}\r\nconnection: close\r\n\r\n${credentials}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
  });
});

test("pages may run no foreign script and be framed by nobody", async () => {
  const { headers } = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
  expect(headers.get("content-security-policy")).toContain("default-src 'self'");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("the API document is OpenAPI 3.1 and names every problem's shape", async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  expect(document).toMatchObject({
    openapi: "3.1.0",
    components: { schemas: { Problem: { type: "object" } } },
  });
  expect((await fetch(`${server.url}/api/docs`)).status).toBe(200);
});

/** Sends until it is answered, as a client that does not wait does. */
function sendLargeBody(headers: Record<string, string>, sizeBytes: number) {
  return new Promise<{ status: number; body: string; sentBytes: number }>((resolve, reject) => {
    let sentBytes = 0;
    const piece = Buffer.alloc(64 * 1024, " ");
    const outgoing = request(`${server.url}/api/session`, {
      method: "POST",
      headers: { ...json, origin: server.url, ...headers },
    });
    const pump = () => {
      while (sentBytes < sizeBytes) {
        sentBytes += piece.length;
        if (!outgoing.write(piece)) return;
      }
      outgoing.end();
    };
    outgoing.on("drain", pump);
    outgoing.on("response", (response) => {
      outgoing.off("drain", pump);
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => {
        outgoing.on("error", () => {}); // the server closes on what is still unsent
        outgoing.destroy();
        resolve({ status: response.statusCode ?? 0, body, sentBytes });
      });
    });
    outgoing.on("error", reject);
    pump();
  });
}

function rawRequest(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let answer = "";
    socket.setTimeout(20_000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes("\r\n\r\n")) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.write(bytes);
  });
}
