// Jobs from the command line, as real processes: submit, list, follow, cancel, retry, and workers of their own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job, Worker } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import {
  type CroftProcess,
  croftCommand,
  type RunningServer,
  type RunOptions,
  runCroft,
  startServer,
} from "./support/croft-process.ts";
import { makeRepository } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { getJson } from "./support/sign-in.ts";
import { waitUntil } from "./support/wait-until.ts";

interface Scene {
  readonly server: RunningServer;
  readonly data: string;
  readonly env: Record<string, string>;
  /** The input of a job that runs this in a shell. */
  input(command: string): string;
  /** Runs the command to its end. */
  croft(...args: string[]): Promise<{ code: number | string; stdout: string; stderr: string }>;
  submit(command: string, ...args: string[]): Promise<string>;
  /** Waits until the job's log has this. */
  logged(id: string, text: string): Promise<void>;
}

/** With a database beside Croft, unless it is to be the embedded one. */
async function scene({ isEmbedded = false } = {}): Promise<Scene> {
  const root = await scratchDirectory();
  const data = join(root, "data");
  const repository = await makeRepository(root, "small", { files: 1 });
  const env = {
    CROFT_GIT_ALLOW_LOCAL: "true",
    CROFT_WORKER_SLOTS: "1",
    CROFT_CONCURRENCY_PER_OWNER: "100",
    ...(isEmbedded ? {} : { DATABASE_URL: await scratchDatabase() }),
  };
  const server = await serve(data, env);
  const run = (args: readonly string[]) => runCroft(args, { env: { CROFT_DATA: data } });
  const croft = async (...args: string[]) => {
    const process = run(args);
    const code = await process.exit;
    const [stdout, output] = [process.stdout(), process.output()];
    return { code, stdout, stderr: stdout === "" ? output : output.replace(stdout, "") };
  };
  const input = (command: string) => JSON.stringify({ repository, command });
  return {
    ...{ server, data, env, croft, input },
    submit: async (command, ...args) => {
      const asked = await croft("jobs", "submit", "command", "--input", input(command), ...args);
      expect(asked).toMatchObject({ code: 0, stderr: "" });
      return asked.stdout.trim();
    },
    logged: async (id, text) => {
      await waitUntil(`'${text}' in the log`, async () =>
        (await croft("logs", id)).stdout.includes(text),
      );
    },
  };
}

async function serve(data: string, env: Record<string, string>): Promise<RunningServer> {
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

function begin(args: readonly string[], options: RunOptions): CroftProcess {
  const process = runCroft(args, options);
  onTestFinished(async () => {
    process.child.kill("SIGKILL");
    await process.exit;
  });
  return process;
}

async function startWorker(data: string, env: Record<string, string>): Promise<CroftProcess> {
  const worker = begin(["worker", "--data", data], { env });
  await waitUntil("the worker", () => /^Croft worker \S+ is ready$/m.test(worker.output()));
  return worker;
}

async function livingWorkers(server: RunningServer): Promise<number> {
  const { workers } = (await getJson(server, "/admin/api/workers")) as { workers: Worker[] };
  return workers.filter(({ ended_at }) => ended_at === null).length;
}

test("a job is submitted, waited for, listed and shown", async () => {
  const { croft, input, data } = await scene();
  expect(await croft("jobs")).toEqual({ code: 0, stdout: "", stderr: "" });

  const flags = ["--key", "a", "--priority", "interactive", "--source-task-id", "t-1"];
  const more = ["--attempts", "2", "--timeout", "1m", "--dedupe", "d", "--idempotency-key", "i"];
  const submit = ["jobs", "submit", "command", "--input", input("echo hello")];
  const waited = await croft(...submit, ...flags, ...more, "--wait");
  expect(waited).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\da-f-]{36}\n$/) });
  expect(waited.stderr).toMatch(/^queued\nstarted attempt 1\n(progress.*\n)*done attempt 1\n$/);
  const id = waited.stdout.trim();
  expect((await croft(...submit, ...flags, ...more)).stdout.trim()).toBe(id); // the same request

  const job: Job = JSON.parse((await croft("jobs", id, "--json")).stdout);
  expect(job).toMatchObject({ id, key: "a", priority: "interactive", source_task_id: "t-1" });
  expect(job).toMatchObject({ status: "done", attempts: 2, timeout_ms: 60_000, dedupe: "d" });
  expect((await croft("jobs", id)).stdout).toMatch(/^status +done$/m);
  expect((await croft("logs", id)).stdout).toMatch(/^workspace .*\nhello\n$/);

  await writeFile(join(data, "input.json"), input("exit 3"));
  const file = `@${join(data, "input.json")}`;
  const failed = await croft("jobs", "submit", "command", "--input", file, "--wait", "--json");
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: "failed", key: null });
  expect(failed.stderr).toContain("failed: the command ended with exit code 3\n");

  const long = input(`true # ${"x".repeat(9000)}`);
  const atNight = ["--run-at", "2099-01-01T00:00:00+01:00"];
  const later = await croft("jobs", "submit", "command", "--input", long, ...atNight);
  const rows = (await croft("jobs")).stdout.trimEnd().split("\n");
  expect(rows.map((row) => row.split("\t").slice(0, 4))).toEqual([
    [later.stdout.trim(), "queued", "command", ""],
    [expect.any(String), "failed", "command", ""],
    [id, "done", "command", "a"],
  ]);
  expect(rows[0]).toMatch(/\twaits until 2098-12-31T23:00:00.000Z$/);
  for (const filter of [
    ["--status", "done"],
    ["--key", "a", "--type", "command", "--owner", "local"],
    ["--source-task-id", "t-1"],
  ]) {
    const list: Job[] = JSON.parse((await croft("jobs", "--json", ...filter)).stdout);
    expect(list.map((each) => each.id)).toEqual([id]);
  }
  expect((await croft("jobs", "--limit", "2")).stdout.trimEnd().split("\n")).toHaveLength(2);
  const [whole]: Job[] = JSON.parse((await croft("jobs", "--json", "--status", "queued")).stdout);
  expect(whole?.input).toEqual(JSON.parse(long)); // which a list leaves out
});

test("a wrong command line ends with 2, a failure with 1, a missing token with 4", async () => {
  const { croft, server, data } = await scene();
  const unknown = "0190a6b2-0000-7000-8000-000000000001";
  for (const [code, message, ...args] of [
    [2, "Allowed choices", "jobs", "--status", "odd"],
    [2, "whole number", "jobs", "--limit", "0"],
    [2, "missing required argument", "jobs", "submit"],
    [2, "cannot be read from --input", "jobs", "submit", "command", "--input", "{"],
    [2, "must be a JSON object", "jobs", "submit", "command", "--input", "[]"],
    [2, "ENOENT", "jobs", "submit", "command", "--input", "@nowhere"],
    [2, "a duration such as", "jobs", "submit", "command", "--timeout", "5"],
    [2, "a time such as", "jobs", "submit", "command", "--run-at", "soon"],
    [2, "unknown option", "logs", unknown, "--token", "x"],
    [1, "(invalid-input)", "jobs", "submit", "command"],
    [1, "(unknown-type)", "jobs", "submit", "nothing"],
    [1, "(invalid-input)", "jobs", "../../metrics"],
    [1, "(not-found)", "jobs", unknown],
    [1, "(not-found)", "logs", unknown],
    [1, "(not-found)", "logs", unknown, "--follow"],
    [1, "(not-found)", "cancel", unknown],
    [1, "(unavailable)", "jobs", "--data", join(data, "elsewhere")],
  ] as const) {
    const { stdout, stderr, ...ended } = await croft(...args);
    expect({ ...ended, stdout }, args.join(" ")).toEqual({ code, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  }
  const elsewhere = async (env: Record<string, string>) => {
    const process = runCroft(["jobs", "--json"], { env: { CROFT_DATA: "/nonexistent", ...env } });
    return { code: await process.exit, output: process.output() };
  };
  const remote = { CROFT_URL: server.url, CROFT_TOKEN: server.token };
  expect(await elsewhere(remote)).toEqual({ code: 0, output: "[]\n" });
  expect(await elsewhere({ ...remote, CROFT_TOKEN: "wrong" })).toMatchObject({ code: 4 });
  expect(await elsewhere({ CROFT_URL: server.url })).toMatchObject({ code: 4 });
  expect(await elsewhere({ ...remote, CROFT_URL: "ftp://x" })).toMatchObject({
    code: 1,
    output: expect.stringContaining("CROFT_URL must be"),
  });
});

test("input from stdin, several jobs cancelled and retried, and what fails keeps none from it", async () => {
  const { croft, input, submit, logged, data } = await scene();
  const running = await submit("echo begun; sleep 60", "--key", "one");
  await logged(running, "begun\n");
  const args = ["jobs", "submit", "command", "--key", "one", "--input", "-"];
  const piped = spawn(process.execPath, [croftCommand, ...args], { env: { CROFT_DATA: data } });
  piped.stdin.end(input("true"));
  let waiting = "";
  for await (const chunk of piped.stdout) waiting += chunk;
  waiting = waiting.trim();
  expect((await croft("jobs", waiting)).stdout).toMatch(/queued, waits for lane, place 1$/m);

  const follower = begin(["logs", "-f", running], { env: { CROFT_DATA: data } });
  await waitUntil("the follower", () => follower.stdout().includes("begun"));
  const unknown = "0190a6b2-0000-7000-8000-000000000001";
  const cancelled = await croft("cancel", waiting, unknown, running);
  expect(cancelled.code).toBe(1);
  expect(cancelled.stderr).toBe(`croft: ${unknown}: there is no such job (not-found)\n`);
  const rows = cancelled.stdout.trimEnd().split("\n");
  expect(rows.map((row) => row.split("\t").slice(0, 2))).toEqual([
    [waiting, "cancelled"],
    [running, "running"],
  ]);
  expect(await follower.exit).toBe(1);
  expect(follower.output()).toContain(`croft: job ${running} cancelled\n`);

  const retried = await croft("retry", waiting, running);
  expect(retried).toMatchObject({ code: 0, stderr: "" });
  const [first = "", second = ""] = retried.stdout.split("\n");
  const jobs: Job[] = JSON.parse((await croft("jobs", "--json")).stdout);
  const retriesOf = new Map(jobs.map(({ id, retry_of }) => [id, retry_of]));
  expect([retriesOf.get(first), retriesOf.get(second)]).toEqual([waiting, running]);
  expect(await croft("retry", second)).toMatchObject({ code: 1 }); // it has not ended
  expect(await croft("cancel", second, "--json")).toMatchObject({ code: 0 });
});

test("a followed log is whole and comes once, though the server is killed meanwhile", async () => {
  const { server, data, env, submit, croft } = await scene({ isEmbedded: true });
  const id = await submit("for i in $(seq 1 40); do echo line $i; sleep 0.1; done");
  const follower = begin(["logs", "--follow", id], { env: { CROFT_DATA: data } });
  await waitUntil("the first lines", () => follower.stdout().includes("line 5\n"));
  server.child.kill("SIGKILL");
  await server.exit;
  await waitUntil("the follower's word", () => follower.output().includes("coming back to it"));
  await serve(data, env); // at another port
  expect(await follower.exit).toBe(0);
  const { stdout } = await croft("logs", id);
  expect(follower.stdout()).toBe(stdout);
  expect(stdout.match(/line 40\n/g)).toHaveLength(1);
  const since = Buffer.byteLength(stdout) - "line 40\n".length;
  expect((await croft("logs", id, "--since", String(since))).stdout).toBe("line 40\n");
  const rest = await croft("logs", id, "--follow", "--since", String(since));
  expect(rest).toEqual({ code: 0, stdout: "line 40\n", stderr: "" });
});

test("a reader that leaves is no failure, and a terminal gets colours only", async () => {
  const { submit, data, logged, croft } = await scene();
  const noise = String.raw`printf '\033[31mred\033[0m\033]0;title\007\033[2J\r\n'; seq 1 60000`;
  const job = await submit(`${noise}; echo 日本`);
  await logged(job, "日本\n");
  const env = { PATH: process.env["PATH"] ?? "", CROFT_DATA: data };
  for (const follow of [[], ["--follow"]]) {
    const reader = begin(["logs", job, ...follow], { env });
    await waitUntil("the first of it", () => reader.stdout().includes("title"));
    expect(reader.stdout()).toContain("\x1b]0;title\x07\x1b[2J"); // a pipe gets all that was written
    reader.child.stdout?.destroy();
    expect(await reader.exit).toBe(0);
    expect(reader.output()).toBe(reader.stdout()); // and nobody is told of it
  }
  // Cut inside a character, with more of the log behind it, as many bytes come as were promised.
  const { stdout } = await croft("logs", job);
  const inside = Buffer.byteLength(stdout) - Buffer.byteLength("本\n") - 1;
  expect((await croft("logs", job, "--since", String(inside))).stdout).toBe("\ufffd本\n");
  if (!existsSync("/usr/bin/script")) return; // nothing else makes a terminal
  const shown = spawn(
    "script",
    ["-qec", `'${process.execPath}' '${croftCommand}' logs ${job}`, "/dev/null"],
    {
      env: { ...env, TERM: "xterm", FORCE_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let terminal = "";
  for await (const chunk of shown.stdout) terminal += chunk;
  expect(terminal).toContain("\x1b[31mred\x1b[0m\r\n1\r\n2\r\n");
  expect(terminal.endsWith("\r\n60000\r\n日本\r\n\x1b[0m")).toBe(true);
  expect(terminal).not.toContain("title");
  expect(terminal).not.toContain("\x1b[2J");
});

test("a worker joins the embedded database, runs jobs, outlives its server and drains", async () => {
  const { server, data, env, submit, croft, logged } = await scene({ isEmbedded: true });
  const worker = await startWorker(data, env);
  expect(await livingWorkers(server)).toBe(2);
  const ids = [await submit("echo begun; sleep 3"), await submit("echo begun; sleep 3")];
  for (const id of ids) await logged(id, "begun"); // one slot each: both take part
  worker.child.kill("SIGTERM");
  expect(await worker.exit).toBe(0);
  expect(worker.stdout()).toBe("");
  for (const id of ids) {
    expect(await croft("logs", "-f", id)).toMatchObject({ code: 0 });
    const job: Job = JSON.parse((await croft("jobs", id, "--json")).stdout);
    expect(job).toMatchObject({ status: "done", attempt: 1 });
  }

  const second = await startWorker(data, env);
  expect(await server.stop()).toBe(0);
  const restarted = await serve(data, env);
  await waitUntil(
    "the worker to take part again",
    async () => (await livingWorkers(restarted)) === 2,
  );
  expect(await restarted.stop()).toBe(0);
  second.child.kill("SIGTERM");
  expect(await second.exit).toBe(0); // also without a database it ends by itself
  expect(second.output()).toContain("the worker left without a word");
  const late = await croft("worker");
  expect(late.code).toBe(1);
  expect(late.stderr).toContain(`no 'croft serve' runs on data directory '${data}'`);
});

test("a worker elsewhere needs the database only, and its data directory is its own", async () => {
  const { server, env, submit, croft, logged } = await scene();
  const elsewhere = join(await scratchDirectory(), "elsewhere");
  await mkdir(elsewhere);
  const worker = await startWorker(elsewhere, env);
  expect(await livingWorkers(server)).toBe(2);
  expect(existsSync(join(elsewhere, "postgres/data"))).toBe(false);
  const ids = [await submit("echo begun; sleep 300"), await submit("echo begun; sleep 300")];
  for (const id of ids) await logged(id, "begun"); // one slot each: both take part
  const jobs: Job[] = JSON.parse((await croft("jobs", "--json")).stdout);
  expect(new Set(jobs.map(({ worker_id }) => worker_id)).size).toBe(2);
  expect(await croft("cancel", ...ids)).toMatchObject({ code: 0 });
  for (const id of ids) expect(await croft("logs", "-f", id)).toMatchObject({ code: 1 });
  worker.child.kill("SIGTERM");
  expect(await worker.exit).toBe(0);
});
