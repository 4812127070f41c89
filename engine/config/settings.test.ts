// Every setting has a name in each place it can be said, derived from its path.
import { expect, test } from "vitest";
import { settings } from "./settings.ts";

const byPath = new Map(settings.map((setting) => [setting.path, setting]));

test.each([
  ["data", "CROFT_DATA", "--data"],
  ["http.port", "CROFT_HTTP_PORT", "--http-port"],
  ["http.publicUrl", "CROFT_HTTP_PUBLIC_URL", "--http-public-url"],
  ["setup.linkLifetime", "CROFT_SETUP_LINK_LIFETIME", "--setup-link-lifetime"],
])("%s is %s and %s", (path, env, flag) => {
  expect(byPath.get(path)).toMatchObject({ env, flag });
});

test("a secret has no flag, because every user of the machine can read a command line", () => {
  const secrets = settings.filter(({ secret }) => secret);
  expect(secrets.map(({ path }) => path).sort()).toEqual([
    "assets.s3.secretAccessKey",
    "database.url",
    "github.privateKey",
    "github.webhookSecret",
    "github.webhookSecretPrevious",
    "metrics.token",
  ]);
  expect(secrets.every(({ flag }) => flag === undefined)).toBe(true);
});

test("no two settings share a path, a variable or a flag", () => {
  for (const key of ["path", "env"] as const) {
    expect(new Set(settings.map((setting) => setting[key])).size).toBe(settings.length);
  }
  const flags = settings.flatMap(({ flag }) => flag ?? []);
  expect(new Set(flags).size).toBe(flags.length);
});

test("every setting is described", () => {
  expect(settings.filter(({ description }) => description === "")).toEqual([]);
});

test("only a yes-or-no setting is a flag without a value", () => {
  expect(settings.filter(({ isBoolean }) => isBoolean).map(({ path }) => path)).toEqual([
    "http.trustProxy",
    "git.allowLocal",
    "assets.s3.forcePathStyle",
    "assets.s3.presign",
  ]);
});

test.each([
  ["http.port", 4747, "`4747`"],
  ["session.idle", "7d", "`7d`"],
  ["http.trustProxy", false, "`false`"],
  ["metrics.token", undefined, ""],
  ["http.publicUrl", undefined, "the address it listens on"],
])("%s tells its default", (path, expected, text) => {
  expect(byPath.get(path)?.default).toBe(expected);
  expect(byPath.get(path)?.defaultText).toBe(text);
});
