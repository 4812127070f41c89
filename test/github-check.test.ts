// `croft github check` against a real server: what is right, what is missing, and the exit code that says so.
import { expect, onTestFinished, test } from "vitest";
import { type RunningServer, runCroft, startServer } from "./support/croft-process.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";

async function begin(env: Record<string, string>): Promise<RunningServer> {
  const data = `${await scratchDirectory()}/data`;
  const server = await startServer(data, {
    env: { ...env, DATABASE_URL: await scratchDatabase() },
  });
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

async function check(server: RunningServer, ...args: string[]) {
  const command = runCroft(["github", "check", "--data", server.data, ...args]);
  const code = await command.exit;
  return { code, output: command.output() };
}

test("what is set up well, and what then goes missing", async () => {
  const github = await startFakeGithub();
  const installation = github.addInstallation({ account: "acme" });
  const server = await begin({ ...github.environment });
  github.webhookUrl = `${server.url}/webhooks/github`;
  const well = await check(server);
  expect(well).toMatchObject({ code: 0 });
  expect(well.output).toContain("✓ app");
  expect(well.output).toContain("acme: gives a token");
  github.state.permissions = { metadata: "read" };
  installation.suspended = true;
  const badly = await check(server);
  expect(badly.code).toBe(1);
  expect(badly.output).toMatch(/✗ permissions +missing: contents: write, pull_requests: write/);
  expect(badly.output).toMatch(/! installation \d+ +acme: suspended/);
  const { code, output } = await check(server, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(output)).toMatchObject({ ok: false });
});

test("without an App it says what to set", async () => {
  const { code, output } = await check(await begin({}));
  expect(code).toBe(1);
  expect(output).toContain("✗ app  no GitHub App is configured");
  expect(output).toContain("→ set github.appId and github.privateKey");
});
