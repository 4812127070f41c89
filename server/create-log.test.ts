// What the process logs goes to stderr as one line each, and no secret comes out, in whatever place it stands.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";

/** Runs statements that have a `log` in a process of their own, and returns what it wrote. */
async function logged(statements: string, settings = '{ level: "info", format: "json" }') {
  const url = pathToFileURL(join(import.meta.dirname, "create-log.ts")).href;
  const script = `import { createLog } from ${JSON.stringify(url)};
    const log = await createLog(${settings}, { isTerminal: false });
    ${statements}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const cwd = join(import.meta.dirname, "..");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe("");
  return stderr.trimEnd().split("\n");
}

test("a line is JSON with level, time, details and message", async () => {
  const lines = await logged(
    `log.info({ migration: "0001" }, "applied"); log.debug({}, "hidden");`,
  );
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    migration: "0001",
    msg: "applied",
  });
});

test("secrets do not come out by key, at any depth, nor in text", async () => {
  const lines = await logged(`
    const hidden = "hunter2";
    log.info({ password: hidden, user: "ada" }, "top");
    log.info({ request: { headers: { authorization: hidden, cookie: hidden } } }, "nested");
    log.info({ sessions: [{ token: hidden }] }, "in a list");
    log.info({ a: { b: { c: { secret: hidden } } } }, "deep");
    log.info({ headers: { Authorization: hidden, "Set-Cookie": hidden } }, "other case");
    log.child({ token: hidden }).info({}, "of a child");
    log.error({ err: new Error("cannot reach postgres://croft:hunter2@db/croft") }, "failed");
    log.error({ err: new Error("outer", { cause: new Error("https://a:hunter2@b") }) }, "caused");
    log.info({}, "said Bearer hunter2hunter2");
    log.info({ output: "first line\\nghp_hunter2hunter2hunter2hunter2" }, "git said");`);
  const leaks = lines.filter((line) => line.includes("hunter2"));
  expect(leaks.map((line) => JSON.parse(line).msg)).toEqual([]);
  expect(lines).toHaveLength(10);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ password: "[redacted]", user: "ada" });
});

test("the readable form hides the same", async () => {
  const lines = await logged(
    `log.warn({ token: "hunter2", file: "a.txt" }, "read https://ada:hunter2@example.com");`,
    '{ level: "info", format: "pretty" }',
  );
  const text = stripVTControlCharacters(lines.join("\n"));
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: read https:\/\/\[redacted\]@example\.com/);
  expect(text).toContain('file: "a.txt"');
  expect(text).not.toContain("hunter2");
});
