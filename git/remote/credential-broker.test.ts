// A token reaches git when it asks, for this remote only, and is found nowhere else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { runGitWithToken, staticToken, type TokenSource } from "./credential-broker.ts";
import { parseRemoteUrl } from "./remote-url.ts";

const CANARY = "canary-7f3a-secret";

async function prepare() {
  const root = await scratchDirectory();
  await makeRepository(join(root, "team"), "app", { files: 3 });
  const server = await startGitServer(root);
  server.tokens = new Set([CANARY]);
  const remote = parseRemoteUrl(server.url("team/app"), { allowHttp: [server.host] });
  const lsRemote = (tokens: TokenSource, url = remote.text) =>
    runGitWithToken(["ls-remote", url], { remote, tokens, protocols: ["http"] });
  return { root, server, remote, lsRemote };
}

const canary = { username: "x-access-token", password: CANARY };

test("with the right token git reads, writes and needs it for each command anew", async () => {
  const { root, server, remote, lsRemote } = await prepare();
  let asked = 0;
  const { stdout } = await lsRemote(async () => {
    asked++;
    return canary;
  });
  expect(stdout.toString()).toContain("refs/heads/main");
  expect(asked).toBeGreaterThan(0);
  const clone = join(root, "clone");
  const options = { remote, tokens: staticToken(canary), protocols: ["http"] } as const;
  await runGitWithToken(["clone", "--quiet", remote.text, clone], options);
  await git(["commit", "--quiet", "--allow-empty", "-m", "x"], clone);
  const gitDir = join(clone, ".git");
  await runGitWithToken(["push", "--quiet", remote.text, "HEAD:refs/heads/new"], {
    ...options,
    gitDir,
  });
  expect(server.requests.some(({ token }) => token === CANARY)).toBe(true);
  expect(allFilesBelow(clone)).not.toContain(CANARY);
});

test("a refused token is asked for once more, fresh, and then the command succeeds", async () => {
  const { lsRemote } = await prepare();
  const asked: boolean[] = [];
  await lsRemote(async ({ refresh }) => {
    asked.push(refresh);
    return refresh ? canary : { username: "x", password: "expired-token-1" };
  });
  expect(asked).toEqual([false, true]);
});

test("a token that stays refused is 'auth', without the token in message, stack or details", async () => {
  const { server, lsRemote } = await prepare();
  server.tokens = new Set();
  const error = await lsRemote(staticToken(canary)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: "GitError", code: "auth" });
  const { message, stack, details } = error as Error & { details: unknown };
  expect(`${message}${stack}${JSON.stringify(details)}`).not.toContain(CANARY);
});

test("a source that fails is told as the cause, and git ends at once", async () => {
  const { lsRemote } = await prepare();
  const failing = lsRemote(async () => {
    throw new Error("the vault is closed");
  });
  await expect(failing).rejects.toMatchObject({
    code: "auth",
    cause: { message: "the vault is closed" },
  });
});

test("a token with a line break, which would forge another answer, is refused", async () => {
  const { lsRemote } = await prepare();
  const forged = lsRemote(staticToken({ username: "x", password: "a\nquit=1" }));
  await expect(forged).rejects.toMatchObject({ code: "auth" });
});

test.each([
  ["another repository of the host", "team/other"],
  ["a repository below it", "team/app/sub"],
])("no token is given for %s", async (_what, path) => {
  const { server, lsRemote } = await prepare();
  await expect(lsRemote(staticToken(canary), server.url(path))).rejects.toMatchObject({
    code: "auth",
  });
  expect(server.requests.every(({ token }) => token === undefined)).toBe(true);
});

test("no token follows a redirect", async () => {
  const { server, lsRemote } = await prepare();
  const other = await startGitServer(await scratchDirectory());
  server.fault = { kind: "redirect", to: `http://${other.host}` };
  await expect(lsRemote(staticToken(canary))).rejects.toThrow();
  expect(other.requests).toEqual([]);
});

test("no process has the token in its arguments or environment", async () => {
  const { server, lsRemote } = await prepare();
  server.fault = { kind: "throttle", bytesPerSecond: 400 };
  const reading = lsRemote(staticToken(canary));
  const seen: string[] = [];
  let isDone = false;
  void reading.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.push(...commandLinesAndEnvironments().filter((text) => text.includes(CANARY)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await reading;
  expect(seen).toEqual([]);
});

function commandLinesAndEnvironments(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) =>
      ["cmdline", "environ"].map((file) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, "utf8");
        } catch {
          return ""; // it ended meanwhile
        }
      }),
    );
}

function allFilesBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");
}
