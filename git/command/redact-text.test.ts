// What looks like a secret does not survive, and everything else does.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { redactText } from "./redact-text.ts";

test.each([
  ["https://ada:hunter2@example.com/x", "https://[redacted]@example.com/x"],
  ["postgres://croft:hunter2@db:5432/croft", "postgres://[redacted]@db:5432/croft"],
  [
    "git clone https://x-access-token:hunter2@github.com/a/b",
    "git clone https://[redacted]@github.com/a/b",
  ],
  ["https://hunter2@example.com", "https://[redacted]@example.com"],
  [
    "ssh://git:hunter2@host/path and https://a:hunter2@b",
    "ssh://[redacted]@host/path and https://[redacted]@b",
  ],
  ["HTTPS://ada:hunter2@EXAMPLE.com", "HTTPS://[redacted]@EXAMPLE.com"],
])("credentials in '%s' are cut out", (text, expected) => {
  expect(redactText(text)).toBe(expected);
});

test.each([
  ["an @", "postgres://croft:hunter2@secret@db/croft"],
  ["an apostrophe", "postgres://croft:hunter2'secret@db/croft"],
  [
    "a quotation mark in JSON",
    JSON.stringify({ text: 'postgres://croft:hunter2"secret@db/croft' }),
  ],
  ["a backslash in JSON", JSON.stringify({ text: "postgres://croft:hunter2\\secret@db/croft" })],
  ["an encoded slash", "postgres://croft:hunter2%2Fsecret@db/croft"],
])("a password with %s is cut out whole", (_what, text) => {
  expect(redactText(text)).not.toMatch(/hunter2|secret/);
  expect(redactText(text)).toContain("[redacted]@db");
});

const random = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-ABCDE";

test.each([
  [`croft_local_${random}`, "croft_local_[redacted]"],
  [`croft_app_${random}`, "croft_app_[redacted]"],
  ["ghp_0123456789abcdefghijklmnopqrstuvwxyz", "ghp_[redacted]"],
  ["ghs_0123456789abcdefghijklmnopqrstuvwxyz", "ghs_[redacted]"],
  ["github_pat_11ABCDEFG0123456789_abcdefghij", "github_pat_[redacted]"],
  ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_[redacted]"],
  [`Authorization: Bearer ${random}`, "Authorization: Bearer [redacted]"],
  ["authorization: basic YWRhOmh1bnRlcjI=", "authorization: basic [redacted]"],
  [`"bearer ${random}"`, '"bearer [redacted]"'],
])("'%s' becomes '%s'", (text, expected) => {
  expect(redactText(text)).toBe(expected);
  expect(redactText(`(${text})`)).toBe(`(${expected})`);
});

test.each([
  ["a line break", "first\nghp_0123456789abcdefghijklmnopqrstuvwxyz"],
  ["a tab", `header:\tcroft_local_${random}`],
  ["a carriage return", `first\r\nBearer ${random}`],
  ["a colour", `\u001b[33mghp_0123456789abcdefghijklmnopqrstuvwxyz\u001b[0m`],
])("a secret right after %s is cut out, of plain text and of a line of JSON", (_what, text) => {
  for (const line of [text, JSON.stringify({ text })]) {
    expect(redactText(line)).toContain("[redacted]");
    expect(redactText(line)).not.toMatch(/0123456789/);
  }
});

test.each([
  "",
  "http://127.0.0.1:4747/setup",
  "https://example.com/@scope/package",
  "mail to ada@example.com",
  "see https://example.com/path?next=a@b",
  "croft_session",
  "a bearer of bad news",
  "send a bearer token",
  "port 4747 of 127.0.0.1 is taken: choose another with --http-port",
  "/var/lib/croft/postgres/postgres.log",
  "migration '0001_foundation.sql' was applied",
])("'%s' stays as it is", (text) => {
  expect(redactText(text)).toBe(text);
});

test("a second time changes nothing", () => {
  const once = redactText(`https://a:b@c Bearer ${random} croft_local_${random}`);
  expect(redactText(once)).toBe(once);
});

test("a long text, hostile or dull, does not hold up the process", async () => {
  const parts = ["a://", "bearer ", "croft_a_", "https://x", "a:", "x"];
  const url = pathToFileURL(join(import.meta.dirname, "redact-text.ts")).href;
  const script = `import { redactText } from ${JSON.stringify(url)};
    for (const part of process.argv.slice(1)) {
      redactText(part.repeat(200_000));
      process.stdout.write(part);
    }`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, ...parts];
  // In a process of its own, which can be ended: a pattern that goes over the text again and again takes minutes.
  const options = { cwd: join(import.meta.dirname, ".."), timeout: 15_000 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(
    (ended: { stdout: string }) => ended,
  );
  expect(stdout).toBe(parts.join(""));
});
