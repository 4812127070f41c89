// The effective configuration can be shown to anybody: values as they were said, and no secret.
import { expect, test } from "vitest";
import { describeConfig } from "./describe-config.ts";
import { type ConfigSources, loadConfig } from "./load-config.ts";
import { settings } from "./settings.ts";

async function describeWith(sources: Partial<ConfigSources>) {
  const loaded = await loadConfig({
    flags: {},
    env: {},
    directory: "/nowhere",
    uid: 1000,
    home: "/home/croft",
    ...sources,
  });
  return describeConfig(loaded);
}

test("every setting is listed once, with its default where nothing was said", async () => {
  const described = await describeWith({});
  expect(described.map(({ setting }) => setting)).toEqual(settings.map(({ path }) => path));
  expect(new Set(described.map(({ origin }) => origin))).toEqual(new Set(["default"]));
  expect(described).toContainEqual({ setting: "session.idle", value: "7d", origin: "default" });
  expect(described).toContainEqual({ setting: "metrics.token", value: null, origin: "default" });
});

test("a value is shown as it was said, with the place where it was said", async () => {
  const described = await describeWith({
    flags: { "git.timeout": "90s" },
    env: { CROFT_HTTP_PORT: "8080" },
  });
  expect(described).toContainEqual({
    setting: "git.timeout",
    value: "90s",
    origin: "--git-timeout",
  });
  expect(described).toContainEqual({
    setting: "http.port",
    value: "8080",
    origin: "CROFT_HTTP_PORT",
  });
});

test("the data directory is shown as the absolute path it resolves to", async () => {
  const described = await describeWith({ flags: { data: "here" }, directory: "/srv" });
  expect(described).toContainEqual({ setting: "data", value: "/srv/here", origin: "--data" });
});

test("a secret shows that it is set and from where, and nothing of its value or length", async () => {
  const env = {
    DATABASE_URL: "postgres://croft:hunter2hunter2@db/croft",
    CROFT_METRICS_TOKEN: "scrape-me-0123456789",
  };
  const described = await describeWith({ env });
  expect(described).toContainEqual({
    setting: "database.url",
    value: "********",
    origin: "DATABASE_URL",
  });
  expect(described).toContainEqual({
    setting: "metrics.token",
    value: "********",
    origin: "CROFT_METRICS_TOKEN",
  });
  expect(JSON.stringify(described)).not.toMatch(/hunter2|scrape-me/);
});
