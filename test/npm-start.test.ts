// The README's command, stopped the ways people stop it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../scripts/source-files.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

test.each([
  { how: "Ctrl-C at the terminal", signal: "SIGINT", toGroup: true },
  { how: "SIGTERM to npm alone", signal: "SIGTERM", toGroup: false },
] as const)("npm start ends cleanly, PostgreSQL included, on $how", async ({ signal, toGroup }) => {
  const data = join(await scratchDirectory(), "data");
  const { PATH = "", HOME = "" } = process.env;
  const npm = spawn("npm", ["start"], {
    cwd: projectRoot,
    detached: true,
    env: { PATH, HOME, CROFT_DATA: data, CROFT_HTTP_PORT: "0" },
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const exit = new Promise((resolve) => npm.once("exit", resolve));
  await waitUntil("the server", () => output.includes("is ready"));
  const pid = npm.pid ?? 0;
  process.kill(toGroup ? -pid : pid, signal);
  await exit;
  await waitUntil("the server to say goodbye", () => output.includes("stopped"));
  expect(existsSync(join(data, "postgres/data/postmaster.pid"))).toBe(false);
});
