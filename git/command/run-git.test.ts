// The only door to git: what comes back, how it ends, and what never runs.
import { existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeBomb } from "../../test/support/make-bomb.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { GitError } from "./git-error.ts";
import { gitText, runGit } from "./run-git.ts";

test("text comes back, and an exit code that is an answer is no failure", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "small", { files: 3, odd: true });
  expect(await gitText(["rev-parse", "--verify", "main"], { gitDir })).toMatch(/^[0-9a-f]{40}$/);
  const { exitCode } = await runGit(["show-ref", "--verify", "--quiet", "refs/heads/none"], {
    gitDir,
    answers: [1],
  });
  expect(exitCode).toBe(1);
});

test("what git reads on its input is given", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "small", { files: 1 });
  const id = await gitText(["hash-object", "-w", "--stdin"], { gitDir, input: "hello\n" });
  expect(await gitText(["cat-file", "blob", id], { gitDir })).toBe("hello");
});

test.each([
  ["invalid-ref", ["rev-parse", "--verify", "--end-of-options", "none"]],
  ["failed", ["no-such-command"]],
] as const)("a failure has the code '%s'", async (code, args) => {
  const gitDir = await makeRepository(await scratchDirectory(), "small", { files: 1 });
  await expect(runGit(args, { gitDir })).rejects.toMatchObject({ name: "GitError", code });
});

test("a directory that is no repository is 'corrupt', and none above it is looked for", async () => {
  const root = await makeRepository(await scratchDirectory(), "outer", { files: 1 });
  const inner = join(root, "inner");
  await mkdir(inner);
  await expect(runGit(["rev-parse"], { gitDir: inner })).rejects.toMatchObject({ code: "corrupt" });
});

test("more output than is accepted ends git", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "small", { files: 50 });
  const reading = runGit(["cat-file", "--batch-all-objects", "--batch"], {
    gitDir,
    maxOutputBytes: 1000,
  });
  await expect(reading).rejects.toMatchObject({ code: "too-large" });
});

test.runIf(process.platform === "linux")(
  "a git that needs more memory than it is given ends, and the limit is named",
  async () => {
    const gitDir = await makeBomb(await scratchDirectory(), { depth: 5, nameLength: 100 });
    const args = ["log", "--name-only", "main"];
    const reading = runGit(args, { gitDir, memoryBytesMax: 32 * 1024 ** 2 });
    await expect(reading).rejects.toMatchObject({
      ...{ code: "too-large", message: "git log failed: needs more than 32 MiB of memory" },
    });
    const { stdout } = await runGit(["log", "main"], { gitDir, memoryBytesMax: 32 * 1024 ** 2 });
    expect(stdout.toString()).toContain("bomb");
  },
);

/** Accepts connections and says nothing. */
async function silentRemote() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/x.git`;
}

function gitProcessesOf(url: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.includes(url);
      } catch {
        return false;
      }
    });
}

test.each(["timeout", "aborted"] as const)(
  "on '%s' git ends with all its children",
  async (code) => {
    const url = await silentRemote();
    const abort = new AbortController();
    const running = runGit(["ls-remote", url], {
      protocols: ["http"],
      timeoutMs: code === "timeout" ? 1500 : 60_000,
      signal: abort.signal,
    });
    const ended = running.catch((error: unknown) => error);
    await waitUntil("git's transport", () => gitProcessesOf(url).length >= 2);
    if (code === "aborted") abort.abort();
    expect(await ended).toMatchObject({ name: "GitError", code });
    expect(gitProcessesOf(url)).toEqual([]);
  },
);

test("nothing is started for a signal that has been given already", async () => {
  const running = runGit(["version"], { signal: AbortSignal.abort() });
  await expect(running).rejects.toMatchObject({ code: "aborted" });
});

test("nothing of our own environment reaches git", async () => {
  vi.stubEnv("GIT_DIR", "/nowhere");
  vi.stubEnv("GIT_CONFIG_PARAMETERS", "'alias.leak'='!env'");
  vi.stubEnv("CROFT_TEST_CANARY", "canary");
  onTestFinished(() => void vi.unstubAllEnvs());
  const gitDir = await makeRepository(await scratchDirectory(), "small", { files: 1 });
  const config: [string, string][] = [["alias.show-env", "!env"]];
  const seen = await gitText(["show-env"], { gitDir, config });
  expect(seen).not.toContain("canary");
  expect(seen).not.toContain("GIT_CONFIG_PARAMETERS");
});

test("hooks, fsmonitor and aliases of a hostile repository do not run, ext:: is no transport", async () => {
  const root = await scratchDirectory();
  const marker = join(root, "ran");
  const bare = await makeRepository(root, "hostile", { files: 2 });
  const clone = join(root, "clone");
  await git(["clone", "--quiet", bare, clone]);
  const gitDir = join(clone, ".git");
  for (const hook of [
    "post-checkout",
    "pre-commit",
    "reference-transaction",
    "post-index-change",
  ]) {
    const path = join(gitDir, "hooks", hook);
    await mkdir(join(gitDir, "hooks"), { recursive: true });
    await writeFile(path, `#!/bin/sh\ntouch '${marker}'\n`);
    await chmod(path, 0o755);
  }
  const evil = [
    ["core.fsmonitor", `touch '${marker}'; false`],
    ["core.hooksPath", join(gitDir, "hooks")],
    ["hook.evil.command", `touch '${marker}'`],
    ["hook.evil.event", "post-checkout"],
    ["alias.status", `!touch '${marker}'`],
    ["core.pager", `touch '${marker}'`],
    ["protocol.ext.allow", "always"],
    ["remote.origin.url", `ext::sh -c touch% ${marker}`],
  ] as const;
  for (const [key, value] of evil) await git(["config", key, value], clone);
  const options = { gitDir, workTree: clone };
  await runGit(["status", "--porcelain"], options);
  await runGit(["checkout", "--quiet", "-b", "x"], options);
  await runGit(["log", "-1"], options);
  await expect(runGit(["fetch", "origin"], options)).rejects.toThrow(/transport 'ext' not allowed/);
  expect(existsSync(marker)).toBe(false);
});

test("a lock's descriptor stays held while git lives, though we let go of ours", async () => {
  const url = await silentRemote();
  const path = join(await scratchDirectory(), "lock");
  const held = openSync(path, "a+");
  expect(tryLock(held)).toBe(true);
  const abort = new AbortController();
  const running = runGit(["ls-remote", url], {
    protocols: ["http"],
    lockDescriptors: [held],
    signal: abort.signal,
  }).catch((error: unknown) => error);
  await waitUntil("git's transport", () => gitProcessesOf(url).length >= 2);
  const { closeSync } = await import("node:fs");
  closeSync(held);
  const other = openSync(path, "a+");
  onTestFinished(() => closeSync(other));
  expect(tryLock(other)).toBe(false);
  abort.abort();
  expect(await running).toBeInstanceOf(GitError);
  expect(tryLock(other)).toBe(true);
});
