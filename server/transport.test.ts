// A password crosses no network in the clear, and a page of another site cannot pass as ours.
import { EngineError, loadConfig } from "@croft/engine";
import fastify from "fastify";
import { expect, test } from "vitest";
import { requireOwnOrigin, requireSafeTransport, sessionCookieName } from "./transport.ts";

type Flags = Record<string, string | boolean>;

async function ask(
  flags: Flags,
  headers: Record<string, string>,
  remoteAddress = "127.0.0.1",
): Promise<{ transport: string; origin: string; cookie: string }> {
  const { config } = await loadConfig({
    flags,
    env: {},
    directory: "/nowhere",
    uid: 1000,
    home: "/home/croft",
  });
  const app = fastify({ trustProxy: config.http.trustProxy });
  app.post("/", async (request) => ({
    transport: outcomeOf(() => requireSafeTransport(request, config)),
    origin: outcomeOf(() => requireOwnOrigin(request)),
    cookie: sessionCookieName(request),
  }));
  return (await app.inject({ method: "POST", url: "/", headers, remoteAddress })).json();
}

function outcomeOf(check: () => void): string {
  try {
    check();
    return "accepted";
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
}

test.each([
  ["localhost:4747", "accepted"],
  ["localhost", "accepted"],
  ["127.0.0.1:4747", "accepted"],
  ["[::1]:4747", "accepted"],
  ["[::1]", "accepted"],
  ["192.168.1.5:4747", "accepted"],
  ["evil.example.com:4747", "misdirected"],
  ["localhost.evil.example.com", "misdirected"],
  ["127.0.0.1.nip.io:4747", "misdirected"],
  ["127.0.0.1.", "misdirected"],
  ["[evil.example.com]:4747", "misdirected"],
])("as host '%s' on the machine itself: %s", async (host, expected) => {
  expect((await ask({}, { host })).transport).toBe(expected);
});

test.each([
  ["127.0.0.1", "accepted"],
  ["127.8.9.10", "accepted"],
  ["::1", "accepted"],
  ["::ffff:127.0.0.1", "accepted"],
  ["192.168.1.20", "insecure-transport"],
  ["128.0.0.1", "insecure-transport"],
  ["::ffff:192.168.1.20", "insecure-transport"],
  ["2001:db8::1", "insecure-transport"],
])("plain HTTP from %s: %s", async (address, expected) => {
  expect((await ask({}, { host: "192.168.1.5:4747" }, address)).transport).toBe(expected);
});

const publicUrl = { "http.publicUrl": "https://croft.example.com" };
const behindProxy = { ...publicUrl, "http.trustProxy": true };
const host = "croft.example.com";
const proxied = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" };

test.each<[string, Flags, Record<string, string>, string]>([
  ["TLS at a trusted proxy", behindProxy, { host, ...proxied }, "accepted"],
  [
    "a trusted proxy that sends the name on",
    behindProxy,
    { host: "croft:4747", "x-forwarded-host": host, ...proxied },
    "accepted",
  ],
  [
    "a trusted proxy without TLS",
    behindProxy,
    { host, ...proxied, "x-forwarded-proto": "http" },
    "insecure-transport",
  ],
  ["a proxy that is not trusted", publicUrl, { host, ...proxied }, "insecure-transport"],
  ["a proxy that says nothing of TLS", publicUrl, { host }, "insecure-transport"],
  ["the machine itself beside a proxy", publicUrl, { host: "localhost:4747" }, "accepted"],
  [
    "another name at the proxy",
    behindProxy,
    { host: "evil.example.com", ...proxied },
    "misdirected",
  ],
  ["another port of our name", behindProxy, { host: `${host}:9999`, ...proxied }, "misdirected"],
  ["a longer name", behindProxy, { host: `${host}.evil.com`, ...proxied }, "misdirected"],
  [
    "a public URL of plain HTTP on the machine itself",
    { "http.publicUrl": "http://croft.lan:8080" },
    { host: "croft.lan:8080" },
    "accepted",
  ],
  [
    "a public URL that names the usual port",
    { "http.publicUrl": "https://croft.example.com:443/", "http.trustProxy": true },
    { host, ...proxied },
    "accepted",
  ],
])("%s", async (_what, flags, headers, expected) => {
  expect((await ask(flags, headers)).transport).toBe(expected);
});

test("whoever is not trusted cannot claim TLS or the machine itself", async () => {
  const claims = {
    host: "192.168.1.5",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "127.0.0.1",
  };
  expect((await ask({}, claims, "203.0.113.9")).transport).toBe("insecure-transport");
});

test("the cookie has the __Host- prefix over TLS only, where browsers accept it", async () => {
  expect((await ask({}, { host: "localhost" })).cookie).toBe("croft-session");
  expect((await ask(behindProxy, { host, ...proxied })).cookie).toBe("__Host-croft-session");
});

test.each<[string, Record<string, string>, string]>([
  ["our own page", { origin: "http://localhost:4747" }, "accepted"],
  ["no origin", {}, "forbidden-origin"],
  ["an opaque origin", { origin: "null" }, "forbidden-origin"],
  ["another site", { origin: "https://evil.example.com" }, "forbidden-origin"],
  ["another port", { origin: "http://localhost:3000" }, "forbidden-origin"],
  ["another scheme", { origin: "https://localhost:4747" }, "forbidden-origin"],
  ["a longer name", { origin: "http://localhost:4747.evil.com" }, "forbidden-origin"],
  ["a browser that says same-origin", { "sec-fetch-site": "same-origin" }, "accepted"],
  ["a browser that says same-site", { "sec-fetch-site": "same-site" }, "forbidden-origin"],
  [
    "another site that says same-origin",
    { origin: "https://evil.example.com", "sec-fetch-site": "same-origin" },
    "forbidden-origin",
  ],
])("from %s", async (_whom, headers, expected) => {
  expect((await ask({}, { host: "localhost:4747", ...headers })).origin).toBe(expected);
});

test("behind a proxy our own page has the proxy's origin", async () => {
  const sent = { host, ...proxied, origin: "https://croft.example.com" };
  expect((await ask(behindProxy, sent)).origin).toBe("accepted");
  expect((await ask(behindProxy, { ...sent, origin: `http://${host}` })).origin).toBe(
    "forbidden-origin",
  );
});
