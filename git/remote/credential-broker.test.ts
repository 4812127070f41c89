// A token reaches git when it asks, for this remote only, and is found nowhere else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
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
    seen.push(...findProcesses([CANARY]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await reading;
  expect(seen).toEqual([]);
});

/** Something below git that is no helper of ours, and speaks with the broker itself. */
async function prepareStranger() {
  const { remote } = await prepare();
  const question = ["verb=get", "protocol=http", `host=${remote.host}`, "path=team/app.git"];
  const speak = (script: string, tokens: TokenSource, timeoutMs = 20_000) =>
    runGitWithToken(["stranger"], {
      ...{ remote, tokens, timeoutMs },
      config: [["alias.stranger", `!f() { ${script}; }; f`]],
      variables: { QUESTION: question.join("\n") },
    });
  return { remote, speak };
}

test("questions asked all at once are answered in order, however long each takes", async () => {
  const { speak } = await prepareStranger();
  let asked = 0;
  let isSlow = true;
  const tokens: TokenSource = async () => {
    const password = `token-${++asked}`;
    for (let turn = 0; isSlow && turn < 50; turn++) await new Promise(setImmediate);
    isSlow = false;
    return { username: "x", password };
  };
  const ask = `printf '%s\\n\\n%s\\n\\n%s\\n\\n' "$QUESTION" "$QUESTION" "$QUESTION" >&3`;
  const { stdout } = await speak(`${ask}; head -n 9 <&3`, tokens);
  const answer = (number: number) => `username=x\npassword=token-${number}\n\n`;
  expect(stdout.toString()).toBe(answer(1) + answer(2) + answer(3));
});

test.each([
  ["a question without end", `yes "$QUESTION" >&3`],
  ["a question that is too long", `{ echo "$QUESTION"; yes x | head -n 20000; echo; } >&3`],
  ["questions without end", `while printf '%s\\n\\n' "$QUESTION" >&3; do :; done`],
])("%s: the line is cut, and no more tokens are given", async (_what, script) => {
  const { speak } = await prepareStranger();
  let given = 0;
  const tokens: TokenSource = async () => {
    given++;
    return canary;
  };
  const outcome = await speak(`${script} 2>/dev/null; cat <&3 >/dev/null`, tokens).catch(
    (error: unknown) => error,
  );
  expect(outcome).not.toMatchObject({ code: "timeout" });
  expect(given).toBeLessThanOrEqual(32);
});

test("no question but the first word decides what is asked, and another host gets nothing", async () => {
  const { speak } = await prepareStranger();
  let given = 0;
  const tokens: TokenSource = async () => {
    given++;
    return canary;
  };
  const forged = `printf 'verb=store\\n%s\\n\\n' "$QUESTION" >&3`;
  const foreign = `printf '%s\\nhost=evil.example.net\\n\\n' "$(echo "$QUESTION" | grep -v ^host)" >&3`;
  const { stdout } = await speak(`${forged}; ${foreign}; head -n 1 <&3`, tokens);
  expect(stdout.toString()).toBe("quit=1\n");
  expect(given).toBe(0);
});

test.each([
  ["a source that never answers", "unused"],
  ["a stranger that never ends", "sleep 1000"],
])("%s is ended with git, in time", async (_what, script) => {
  const { remote, speak } = await prepareStranger();
  const never: TokenSource = () => new Promise(() => {});
  const running =
    script === "unused"
      ? runGitWithToken(["ls-remote", remote.text], {
          ...{ remote, tokens: never, protocols: ["http"], timeoutMs: 500 },
        })
      : speak(script, never, 500);
  await expect(running).rejects.toMatchObject({ code: "timeout" });
  expect(findProcesses([remote.host])).toEqual([]);
});

test("a token that is the user name is no more told than one that is the password", async () => {
  const { speak } = await prepareStranger();
  const tokens = staticToken({ username: CANARY, password: "x-oauth-basic" });
  const tell = `printf '%s\\n\\n' "$QUESTION" >&3; head -n 2 <&3 >&2; exit 1`;
  const error = await speak(tell, tokens).catch((caught: unknown) => caught);
  expect(inspect(error, { depth: 9, showHidden: true })).toContain("username=[redacted]");
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(CANARY);
});

function allFilesBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("");
}
