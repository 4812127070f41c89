// A failure is said on stderr without secrets, and the exit code tells what to do.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { EngineError } from "@croft/engine";
import { expect, test } from "vitest";
import { describeFailure, exitCodeOf } from "./report-failures.ts";

test.each([
  [new EngineError("unauthenticated", "there is no token file"), 4],
  [new EngineError("wrong-credentials", "e-mail or password is wrong"), 1],
  [new EngineError("address-in-use", "port 4747 is taken"), 1],
  [Object.assign(new Error("not ours"), { code: "unauthenticated" }), 1],
  ["thrown", 1],
  [undefined, 1],
])("%s ends with %d, as gh has it", (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

test("an expected failure is told by its message and code, without a stack", () => {
  const error = new EngineError("address-in-use", "port 4747 is taken", { cause: new Error("x") });
  expect(describeFailure(error)).toBe("port 4747 is taken (address-in-use)");
});

test("an unexpected failure is told with its stack", () => {
  expect(describeFailure(new Error("broken"))).toMatch(/^Error: broken\n\s+at /);
  expect(describeFailure("thrown")).toBe("thrown");
  expect(describeFailure(undefined)).toBe("undefined");
});

test.each([
  new EngineError("database-unreachable", "cannot reach postgres://croft:hunter2@db/x"),
  new Error("clone of https://ada:hunter2@example.com failed"),
  "sent Bearer hunter2hunter2",
])("no secret is told: %s", (error) => {
  expect(describeFailure(error)).not.toContain("hunter2");
  expect(describeFailure(error)).toContain("[redacted]");
});

test("a good action leaves the exit code alone, a failing one is told on stderr and sets it", async () => {
  const url = pathToFileURL(join(import.meta.dirname, "report-failures.ts")).href;
  const script = `import { reportFailures } from ${JSON.stringify(url)};
    await reportFailures(async () => {})();
    process.stdout.write(String(process.exitCode));
    await reportFailures(async () => { throw "no luck"; })();`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const options = { cwd: import.meta.dirname, env: { PATH: process.env["PATH"], NO_COLOR: "1" } };
  await expect(promisify(execFile)(process.execPath, args, options)).rejects.toMatchObject({
    code: 1,
    stdout: "undefined",
    stderr: "croft: no luck\n",
  });
});
