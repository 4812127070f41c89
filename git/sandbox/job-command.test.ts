// A command gives what it gave, sees what it may, and ends when it must; in the sandbox and without one.
import { spawn } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { sleepers, uniqueSleep } from "../../test/support/sleepers.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { readProcessState } from "../command/process-state.ts";
import { descendantsOf, processesIn, signalProcess } from "../command/process-tree.ts";
import { JobCommand, type JobCommandOptions, type JobPlace } from "./job-command.ts";
import { jobUser } from "./job-user.ts";

const user = jobUser();
const isRoot = user !== undefined;

async function makePlace(hasSandbox: boolean): Promise<JobPlace> {
  const data = join(await scratchDirectory(), "data");
  const workspace = join(data, "workspace");
  const temporary = join(data, "temporary");
  for (const path of [data, workspace, temporary]) {
    await mkdir(path, { mode: 0o755 });
    if (user !== undefined && path !== data) chownSync(path, user.uid, user.gid);
  }
  const sandbox = hasSandbox ? { workspace, temporary, data, hasNetwork: false } : undefined;
  return { workspace, temporary, user, sandbox };
}

function run(place: JobPlace, script: string, options?: JobCommandOptions) {
  return new JobCommand(["/bin/sh", "-c", script], place, options).result;
}

describe.each([
  { name: "in the sandbox", hasSandbox: true },
  { name: "without a sandbox", hasSandbox: false },
])("$name", ({ hasSandbox }) => {
  test("it gives exit code, output and complaints, and takes input", async () => {
    const place = await makePlace(hasSandbox);
    const result = await run(place, "cat; pwd; echo oops >&2; exit 3", { input: "from outside\n" });
    expect(result).toMatchObject({ exitCode: 3, stopped: undefined });
    expect(String(result.stdout)).toBe(`from outside\n${place.workspace}\n`);
    expect(String(result.stderr)).toBe("oops\n");
  });

  test("input that nobody reads, and none at all, do not stop it", async () => {
    const place = await makePlace(hasSandbox);
    const unread = await run(place, "exit 0", { input: Buffer.alloc(1024 * 1024) });
    expect(unread.exitCode).toBe(0);
    expect((await run(place, "cat")).exitCode).toBe(0);
  });

  test("a program that is missing or ended by a signal is told as shells tell it", async () => {
    const place = await makePlace(hasSandbox);
    const missing = await new JobCommand(["no-such-program", "x"], place).result;
    expect(missing.exitCode).toBe(127);
    expect(String(missing.stderr)).toContain("no-such-program");
    expect((await run(place, "kill -KILL $$")).exitCode).toBe(137);
  });

  test("its environment holds what it was given and nothing of ours", async () => {
    const place = await makePlace(hasSandbox);
    const environment = { GREETING: "hello\nyou", EMPTY: "" };
    const { stdout } = await run(place, "env -0", { environment });
    const variables = String(stdout).split("\0").filter(Boolean);
    const names = variables.map((text) => text.split("=", 1)[0]).filter((name) => name !== "PWD");
    const usual = ["HOME", "LANG", "PATH", "TMPDIR"];
    expect(names.sort()).toEqual(["CROFT_WORKSPACE", "EMPTY", "GREETING", ...usual]);
    expect(variables).toContain("GREETING=hello\nyou");
    expect(variables).toContain(`CROFT_WORKSPACE=${place.workspace}`);
  });

  test("a variable that could become an argument is refused", async () => {
    const place = await makePlace(hasSandbox);
    for (const environment of [
      { A: "x\0--bind\0/\0/" },
      { "A=B": "x" },
      { "A\0": "" },
      { "": "" },
    ]) {
      const make = () => new JobCommand(["true"], place, { environment });
      expect(make).toThrow(expect.objectContaining({ code: "invalid-request" }));
    }
  });

  test("output above the limit is counted and dropped, and all of it was shown", async () => {
    const place = await makePlace(hasSandbox);
    let seenBytes = 0;
    const { stdout, stderr } = await run(
      place,
      "head -c 3000000 /dev/zero; head -c 2000 /dev/zero >&2",
      {
        maxOutputBytes: 1000,
        onOutput: (_stream, chunk) => {
          seenBytes += chunk.length;
        },
      },
    );
    expect([stdout.length, stderr.length, seenBytes]).toEqual([1000, 1000, 3_002_000]);
  });

  test("one that takes too long is ended", async () => {
    const place = await makePlace(hasSandbox);
    const sleep = uniqueSleep();
    const { stopped } = await run(place, `${sleep.command} & wait`, { timeoutMs: 200 });
    expect(stopped).toBe("timeout");
    expect(sleepers(sleep)).toEqual([]);
  });

  test("one that is ended is asked first, and may say goodbye", async () => {
    const place = await makePlace(hasSandbox);
    const sleep = uniqueSleep();
    const abort = new AbortController();
    const script = `trap 'echo goodbye; exit 7' TERM; ${sleep.command} & echo ready; wait`;
    const onOutput = () => abort.abort();
    const { stopped, exitCode, stdout } = await run(place, script, {
      signal: abort.signal,
      onOutput,
    });
    expect({ stopped, exitCode, text: String(stdout) }).toEqual({
      ...{ stopped: "aborted", exitCode: 7, text: "ready\ngoodbye\n" },
    });
    expect(sleepers(sleep)).toEqual([]);
  });

  test("one that will not listen is ended by force, with all it started", async () => {
    const place = await makePlace(hasSandbox);
    const sleep = uniqueSleep();
    const abort = new AbortController();
    const script = `trap '' TERM; ${sleep.command} & ${sleep.command}; ${sleep.command}`;
    const running = run(place, script, { signal: abort.signal, graceMs: 200 });
    await waitUntil("its children", () => sleepers(sleep).length === 2);
    abort.abort();
    expect((await running).stopped).toBe("aborted");
    expect(sleepers(sleep)).toEqual([]);
  });

  test("a signal that has come already ends it at once", async () => {
    const place = await makePlace(hasSandbox);
    const result = await run(place, "sleep 1000", { signal: AbortSignal.abort() });
    expect(result.stopped).toBe("aborted");
  });

  test("a timeout without end is a long time, not none", async () => {
    const place = await makePlace(hasSandbox);
    const result = await run(place, "exit 0", { timeoutMs: Number.POSITIVE_INFINITY });
    expect(result).toMatchObject({ exitCode: 0, stopped: undefined });
  });

  test.runIf(isRoot)("it runs as the user of the jobs, in no group of ours", async () => {
    const { stdout } = await run(await makePlace(hasSandbox), "id -u; id -G");
    expect(String(stdout)).toBe(`${user?.uid}\n${user?.gid}\n`);
  });
});

test("what it left in the background ends with it in the sandbox", async () => {
  const place = await makePlace(true);
  const sleep = uniqueSleep();
  const { exitCode } = await run(
    place,
    `setsid ${sleep.command} >/dev/null 2>&1 & (${sleep.command} &)`,
  );
  expect(exitCode).toBe(0);
  expect(sleepers(sleep)).toEqual([]);
});

test("without a sandbox a stray process that holds the output does not hold the command", async () => {
  const place = await makePlace(false);
  const sleep = uniqueSleep();
  onTestFinished(() => {
    for (const pid of sleepers(sleep)) process.kill(pid, "SIGKILL");
  });
  const { stdout } = await run(place, `echo done; setsid ${sleep.command} &`);
  expect(String(stdout)).toBe("done\n");
});

test("neither PATH nor a library of the job's reaches bubblewrap, which runs outside", async () => {
  const place = await makePlace(true);
  const outside = join(await scratchDirectory(), "outside");
  await mkdir(outside);
  await chmod(outside, 0o777);
  const fake = join(place.workspace, "bwrap");
  await writeFile(fake, `#!/bin/sh\necho was here > '${outside}/mark'\n`);
  await chmod(fake, 0o755);
  const environment = { PATH: `${place.workspace}:/usr/bin:/bin`, LD_PRELOAD: "/no/such.so" };
  const { exitCode, stdout, stderr } = await run(place, "command -v bwrap", { environment });
  expect(exitCode).toBe(0);
  expect(String(stdout)).toBe(`${fake}\n`); // the command itself does get it
  expect(String(stderr)).not.toContain("bwrap: ");
  expect(existsSync(join(outside, "mark"))).toBe(false);
});

test("a sandbox that cannot be set up is not the command's failure", async () => {
  const place = await makePlace(true);
  const sandbox = place.sandbox && { ...place.sandbox, temporary: join(place.temporary, "gone") };
  await expect(run({ ...place, sandbox }, "exit 0")).rejects.toMatchObject({
    code: "sandbox-failed",
    message: expect.stringContaining("gone"),
  });
});

test("a link that a job leaves in /tmp does not lead the next sandbox outside", async () => {
  const place = await makePlace(true);
  const outside = await scratchDirectory();
  await chmod(outside, 0o777);
  const [, , first = ""] = place.workspace.split("/");
  await run(
    place,
    `mv /tmp/${first} /tmp/away; rm -rf /tmp/${first}; ln -s /oldroot${outside} /tmp/${first}`,
  );
  await run(place, "exit 0").catch(() => {}); // that the job has broken its own /tmp is its own affair
  expect(readdirSync(outside)).toEqual([]);
});

test("there is no network unless it is asked for", async () => {
  const place = await makePlace(true);
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const script = `git ls-remote http://127.0.0.1:${port}/x.git`;
  await run(place, script);
  expect(connections).toBe(0);
  const sandbox = place.sandbox && { ...place.sandbox, hasNetwork: true };
  await run({ ...place, sandbox }, script);
  expect(connections).toBeGreaterThan(0);
});

test("when Croft is killed, everything in its sandboxes is gone", async () => {
  const place = await makePlace(true);
  const sleep = uniqueSleep();
  const module = JSON.stringify(
    pathToFileURL(join(projectRoot, "git/sandbox/job-command.ts")).href,
  );
  const argv = ["/bin/sh", "-c", `setsid ${sleep.command} & ${sleep.command}`];
  const script = `import { JobCommand } from ${module};
    await new JobCommand(${JSON.stringify(argv)}, ${JSON.stringify(place)}).result;`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const croft = spawn(process.execPath, args, { cwd: projectRoot, stdio: "inherit" });
  onTestFinished(() => void croft.kill("SIGKILL"));
  await waitUntil("both commands", () => sleepers(sleep).length === 2);
  croft.kill("SIGKILL");
  await waitUntil("their end", () => sleepers(sleep).length === 0);
});

test("all of a sandbox is found by its workspace, also what has not begun", async () => {
  const place = await makePlace(true);
  const command = new JobCommand(["sleep", "1000"], place);
  onTestFinished(() => command.end());
  const uid = user?.uid ?? process.getuid?.() ?? 0;
  const outer = await waitUntil("bubblewrap", () => descendantsOf(process.pid).find(isBubblewrap));
  await waitUntil("the command", () => descendantsOf(outer).length === 2);
  const found = processesIn([place.workspace], uid);
  expect(found).toEqual(expect.arrayContaining([outer, ...descendantsOf(outer)]));
});

test("bubblewrap that is killed just after its start leaves nothing", async () => {
  const place = await makePlace(true);
  const { seconds } = uniqueSleep();
  for (let round = 0; round < 6; round++) {
    const command = new JobCommand(["sleep", seconds], place);
    const [outer = 0] = await waitUntil("bubblewrap", () => {
      const found = childrenOf(process.pid).filter(isBubblewrap);
      return found.length > 0 && found;
    });
    // Its arguments are still on their way, so the loop must go on; but rarely, or the moment is missed.
    for (let looks = 1; childrenOf(outer).length === 0; looks++) {
      if (looks % 100 === 0) await nextTurn();
    }
    signalProcess(outer, "SIGKILL");
    await expect(command.result).rejects.toMatchObject({ code: "sandbox-failed" });
    expect(namedBy(seconds)).toEqual([]);
  }
});

/** Living processes with this in their command line: bubblewrap has that of its command. */
function namedBy(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || readProcessState(pid)?.isAlive !== true) return false;
    return (
      existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
    );
  });
}

/** Quicker than to look at all processes. */
function childrenOf(pid: number): number[] {
  const told = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return told.split(" ").filter(Boolean).map(Number);
}

function isBubblewrap(pid: number): boolean {
  const state = readProcessState(pid);
  return state?.isAlive === true && state.program === "bwrap";
}
