// The end of a program is told with all its output, and a program that cannot be started does not take us along.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { sleepers, uniqueSleep } from "../../test/support/sleepers.ts";
import { childEnd } from "./child-end.ts";

test("all that was written comes, also when somebody else keeps the output open", async () => {
  const sleep = uniqueSleep();
  onTestFinished(() => {
    for (const pid of sleepers(sleep)) process.kill(pid, "SIGKILL");
  });
  const child = spawn("sh", ["-c", `${sleep.command} & head -c 1000000 /dev/zero; exit 3`]);
  let sizeBytes = 0;
  child.stdout.on("data", (chunk) => {
    sizeBytes += chunk.length;
  });
  expect(await childEnd(child)).toEqual({ exitCode: 3, signal: null });
  expect(sizeBytes).toBe(1_000_000);
});

test("a signal, and a program that is not there, are told", async () => {
  expect(await childEnd(spawn("sh", ["-c", "kill -KILL $$"]))).toEqual({
    ...{ exitCode: null, signal: "SIGKILL" },
  });
  const missing = await childEnd(spawn("/no/such/program"));
  expect(missing).toMatchObject({ exitCode: null, spawnError: { code: "ENOENT" } });
});

test("without a free descriptor nothing can be started, which is an error like any other", async () => {
  const url = (path: string) => JSON.stringify(pathToFileURL(join(projectRoot, path)).href);
  const script = `import { openSync } from "node:fs";
    import { runGit } from ${url("git/command/run-git.ts")};
    import { JobCommand } from ${url("git/sandbox/job-command.ts")};
    const held = [];
    try { for (;;) held.push(openSync("/dev/null")); } catch {}
    const place = { workspace: "/", temporary: "/", user: undefined };
    const sandbox = { ...place, data: "/nowhere", hasNetwork: false };
    const told = [
      await runGit(["--version"]).catch(({ code, message }) => code + ": " + message),
      await new JobCommand(["true"], { ...place, sandbox }).result.catch(({ code }) => code),
      await new JobCommand(["true"], { ...place, sandbox: undefined }).result.catch(({ code }) => code),
    ];
    process._rawDebug(JSON.stringify(told));`;
  const limited = 'ulimit -n 64; exec "$@"';
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const child = spawn("sh", ["-c", limited, "sh", process.execPath, ...args], { cwd: projectRoot });
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  expect({ code, told: JSON.parse(text) }).toEqual({
    code: 0,
    told: ["failed: git --version failed: spawn git EMFILE", "EMFILE", "EMFILE"],
  });
});
