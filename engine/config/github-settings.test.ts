// Settings of the GitHub App: whole pairs, keys that are keys, addresses that are addresses; secrets are never repeated.
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = privateKey.export({ type: "pkcs1", format: "pem" }).toString();

async function load(settings: Record<string, string>) {
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`CROFT_GITHUB_${name}`, value]),
  );
  const place = { directory: "/nowhere", uid: 1000, home: "/nowhere" };
  return (await loadConfig({ flags: {}, env, ...place })).config.github;
}

test("without anything there is nothing, and github.com is asked", async () => {
  expect(await load({})).toEqual({
    ...{ apiUrl: "https://api.github.com", webUrl: "https://github.com" },
    redeliverEvery: 900_000,
    accounts: [],
  });
});

test("a key may have its lines divided by \\n, an address a slash at its end", async () => {
  const github = await load({
    ...{ APP_ID: "12", PRIVATE_KEY: KEY.replaceAll("\n", "\\n") },
    API_URL: "https://github.example.org/api/v3/",
  });
  expect(github).toMatchObject({ appId: 12, privateKey: KEY });
  expect(github.apiUrl).toBe("https://github.example.org/api/v3");
});

test.each(["http://localhost:1", "http://127.0.0.1:2", "http://[::1]:3"])(
  "on the machine itself %s needs no TLS",
  async (url) => {
    expect(await load({ API_URL: url, WEB_URL: url })).toMatchObject({ apiUrl: url, webUrl: url });
  },
);

test.each([
  [{ APP_ID: "12" }, "github.appId needs github.privateKey"],
  [{ PRIVATE_KEY: KEY }, "github.privateKey needs github.appId"],
  [{ WEBHOOK_SECRET_PREVIOUS: "hunter2hunter2hunter2" }, "needs github.webhookSecret"],
  [{ WEBHOOK_SECRET: "hunter2" }, "github.webhookSecret must have at least 16"],
  [{ APP_ID: "12", PRIVATE_KEY: "hunter2" }, "github.privateKey must be a private key in PEM"],
  [{ APP_ID: "x" }, "github.appId must be"],
  [{ API_URL: "https://a:hunter2@example.org" }, "github.apiUrl must be"],
  [{ API_URL: "ftp://example.org" }, "github.apiUrl must be"],
  [{ API_URL: "http://github.example.org/api/v3" }, "github.apiUrl must be https"],
  [{ API_URL: "http://localhost.example.org" }, "github.apiUrl must be https"],
  [{ WEB_URL: "http://10.0.0.1" }, "github.webUrl must be https"],
])("%j is refused", async (settings, message) => {
  const refused = await load(settings as Record<string, string>).catch((error: Error) => error);
  expect((refused as Error).message).toContain(message);
  expect((refused as Error).message).not.toContain("hunter2");
});
