// Every setting that is no secret is a flag, and the flags become the configuration.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { settings } from "@croft/engine";
import { Command } from "commander";
import { beforeEach, expect, test, vi } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { addSettingFlags, readConfig } from "./read-config.ts";

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("CROFT_") || name === "DATABASE_URL") vi.stubEnv(name, undefined);
  }
  return () => void vi.unstubAllEnvs();
});

function commandWith(...args: string[]): Command {
  const command = addSettingFlags(new Command("test")).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  return command.parse(args, { from: "user" });
}

test("there is a flag for each setting but the secrets", () => {
  const flags = addSettingFlags(new Command("test")).options.map(({ long }) => long);
  const expected = settings.flatMap(({ flag }) => flag ?? []);
  expect(flags).toEqual(["--config", ...expected]);
  expect(flags.join()).not.toMatch(/token|database-url/);
});

test("the help of a flag names its variable and default, without marks", () => {
  const help = addSettingFlags(new Command("test")).helpInformation();
  expect(help).toMatch(
    /--http-port <value>\s+Port to listen on; 0 takes a free one\s+\(CROFT_HTTP_PORT, default 4747\)/,
  );
  expect(help).not.toContain("`");
});

test("flags become settings by their path", async () => {
  const command = commandWith(
    ...["--data", "/srv/croft", "--http-port", "8080", "--http-trust-proxy"],
    ...["--http-public-url", "https://croft.example.com", "--session-idle", "2d"],
  );
  const { config, given } = await readConfig(command);
  expect(config).toMatchObject({
    data: "/srv/croft",
    http: { port: 8080, trustProxy: true, publicUrl: "https://croft.example.com" },
    session: { idle: 172_800_000 },
  });
  expect([...given.keys()].sort()).toEqual([
    "data",
    "http.port",
    "http.publicUrl",
    "http.trustProxy",
    "session.idle",
  ]);
});

test("what no flag says comes from the environment, then from the named file", async () => {
  const file = join(await scratchDirectory(), "own.ts");
  await writeFile(file, "export default { http: { port: 1, bodyLimit: 2048 } };");
  vi.stubEnv("CROFT_HTTP_PORT", "2");
  const { config } = await readConfig(commandWith("--config", file));
  expect(config.http).toMatchObject({ port: 2, bodyLimit: 2048 });
  const flagged = await readConfig(commandWith("--config", file, "--http-port", "3"));
  expect(flagged.config.http).toMatchObject({ port: 3, bodyLimit: 2048 });
});

test("a wrong value is told with its flag", async () => {
  await expect(readConfig(commandWith("--http-port", "many"))).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("(from --http-port)"),
  });
});

test.each([
  ["--metrics-token", "x"],
  ["--database-url", "x"],
  ["--http-prot", "1"],
])("%s is no flag", (...args) => {
  expect(() => commandWith(...args)).toThrow(`unknown option '${args[0]}'`);
});
