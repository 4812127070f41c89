// `croft run` in a checkout, with no server running: as real processes, many at once, killed and stopped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { isProcessAlive } from "../git/command/process-identity.ts";
import { readProcessState } from "../git/command/process-state.ts";
import { croftCommand, runCroft } from "./support/croft-process.ts";
import { findLeftovers } from "./support/find-leftovers.ts";
import { findProcesses } from "./support/find-processes.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

const TOKEN = "a-token-that-must-not-travel";

function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" }).trim();
}

async function scene(more: Record<string, string> = {}) {
  const root = await scratchDirectory();
  const checkout = join(root, "checkout");
  const data = join(root, "data");
  mkdirSync(checkout);
  git(checkout, "init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(checkout, "README.md"), "# A checkout\n");
  git(checkout, "add", ".");
  git(checkout, "commit", "--quiet", "-m", "first");
  const env = { CROFT_DATA: data, CROFT_HTTP_PORT: "0", HOME: root, ...more };
  const servers = () => findProcesses([data]).filter((each) => each.includes("--started-by-run"));
  onTestFinished(() => endServers(servers));
  return {
    ...{ root, checkout, data, env, servers },
    log: join(data, "run/server.log"),
    begin: (...args: string[]) => runCroft(args, { env, cwd: checkout }),
    pipeline: (text: string) => {
      writeFileSync(join(root, "pipeline.yaml"), text);
      return join(root, "pipeline.yaml");
    },
  };
}

async function endServers(servers: () => string[]): Promise<void> {
  const found = servers().map((each) => Number.parseInt(each, 10));
  for (const pid of found) process.kill(pid, "SIGTERM");
  await waitUntil("the servers to end", () => servers().length === 0, 60_000);
}

function nothingIsLeft({ checkout, data }: { checkout: string; data: string }): void {
  const ofServer = (each: string) => /^(process|mount) /.test(each);
  const left = findLeftovers(data, [join(checkout, ".git")]);
  expect(left.filter((each) => !ofServer(each))).toEqual([]);
  expect(git(checkout, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
}

test("ten at once in one checkout, with no server running, all succeed on one server", async () => {
  const { checkout, begin, pipeline, servers, ...rest } = await scene();
  const file = pipeline(`
steps:
  make: { run: 'test "$(ls)" = README.md; echo "$CROFT_RUN_ID" > mine.txt' }
  see:
    needs: [make]
    workspace: { from: make }
    run: 'test "$(cat mine.txt)" = "$CROFT_RUN_ID"; test "$(ls | wc -l)" = 2'
`);
  const all = Array.from({ length: 10 }, () => begin("run", file, "--json"));
  const codes = await Promise.all(all.map(({ exit }) => exit));
  const told = all.map(({ output }) => output());
  expect(codes, told.join("\n")).toEqual(codes.map(() => 0));
  expect(servers()).toHaveLength(1);
  expect(told.filter((each) => each.includes("croft: started a server"))).toHaveLength(1);
  const runs = all.map(({ stdout }) => JSON.parse(stdout()) as RunDetail);
  expect(new Set(runs.map(({ number }) => number)).size).toBe(10);
  for (const run of runs) {
    const [made] = run.steps;
    expect(git(checkout, "show", `${made?.commit}:mine.txt`)).toBe(run.id);
  }
  // What is documented is all that stays: the start and the result of each step.
  const refs = git(checkout, "for-each-ref", "--format=%(refname)").split("\n");
  const expected = runs.flatMap(({ id }) =>
    ["_start", "make", "see"].map((name) => `refs/croft/runs/${id}/${name}`),
  );
  expect(refs.sort()).toEqual([...expected, "refs/heads/main"].sort());
  nothingIsLeft({ checkout, ...rest });
}, 240_000);

test("Ctrl-C cancels the run, and the server stays until it is idle", async () => {
  const { begin, pipeline, servers, data, checkout, log, root } = await scene({
    CROFT_SERVER_IDLE: "2s",
    CROFT_TOKEN: "",
  });
  const file = pipeline("steps: { long: { run: 'echo begun; sleep 600' } }");
  writeFileSync(join(checkout, "new.txt"), "new\n");
  const running = begin("run", file);
  await waitUntil("the step", () => running.output().includes("▸ long running"), 120_000);
  expect(running.output()).toContain("croft: uncommitted changes are not included");
  running.child.kill("SIGINT");
  expect(await running.exit).toBe(1);
  expect(running.output()).toMatch(/croft: run \S+ cancelled/);
  expect(servers()).toHaveLength(1);
  nothingIsLeft({ checkout, data });
  await waitUntil("its end", () => servers().length === 0, 60_000);
  expect(readFileSync(log, "utf8")).toContain('"reason":"idle"');
  expect(findProcesses([root])).toEqual([]);
  expect(existsSync(join(data, "run/server.json"))).toBe(false);
  // And the next one starts another, with what is not committed, if asked.
  const again = begin("run", pipeline("steps: { see: { run: 'test -e new.txt' } }"), "--dirty");
  expect([await again.exit, again.output()]).toEqual([0, expect.stringContaining("✓ see done")]);
}, 240_000);

test("who is killed while starting a server is followed by the next, and there is one server", async () => {
  const { begin, pipeline, servers, data } = await scene({ DATABASE_URL: await scratchDatabase() });
  const file = pipeline("steps: { a: { run: 'true' } }");
  for (const stage of ["before", "after"]) {
    const first = begin("run", file);
    if (stage === "after") await waitUntil("its server", () => servers().length > 0, 60_000);
    else await waitUntil("its lock", () => existsSync(join(data, "locks/start")), 60_000);
    first.child.kill("SIGKILL");
    await first.exit;
    const next = [begin("run", file), begin("run", file)];
    expect(await Promise.all(next.map(({ exit }) => exit))).toEqual([0, 0]);
    await waitUntil("one server", () => servers().length === 1, 60_000);
    await endServers(servers);
  }
}, 240_000);

test("a server that is killed under a run is started again, and the run ends well", async () => {
  const { begin, pipeline, servers, ...rest } = await scene({
    DATABASE_URL: await scratchDatabase(),
  });
  const file = pipeline(
    "steps: { wait: { run: 'i=0; while test $i -lt 30; do sleep 0.1; i=$((i + 1)); done' } }",
  );
  const running = begin("run", file);
  await waitUntil("the step", () => running.output().includes("▸ wait running"), 120_000);
  const pid = Number.parseInt(servers()[0] ?? "", 10);
  const start = readProcessState(pid)?.start ?? "";
  process.kill(pid, "SIGKILL");
  await waitUntil("its end", () => !isProcessAlive({ pid, start }));
  expect([await running.exit, running.output()]).toEqual([
    0,
    expect.stringContaining("coming back to it"),
  ]);
  nothingIsLeft(rest);
}, 240_000);

test("a start that fails says why and where its log is; secrets are in no arguments", async () => {
  const { begin, pipeline, servers, log } = await scene({
    ...{ CROFT_HTTP_HOST: "203.0.113.77", DATABASE_URL: await scratchDatabase() },
  });
  const file = pipeline("steps: { a: { run: 'true' } }");
  const failed = begin("run", file);
  expect(await failed.exit).toBe(1);
  expect(failed.output()).toContain("this machine has no address '203.0.113.77'");
  expect(failed.output()).toContain(`its log: ${log}`);
  expect(servers()).toEqual([]);
  const broken = begin("run", pipeline("steps: { a: { rum: 'true' } }"));
  expect([await broken.exit, broken.output()]).toEqual([1, expect.stringContaining("1:15")]);
}, 120_000);

test("the server gets neither address nor token of another", async () => {
  const { begin, pipeline, servers, data } = await scene({
    ...{ CROFT_URL: "https://croft.example.org", CROFT_TOKEN: TOKEN },
    DATABASE_URL: await scratchDatabase(),
  });
  const file = pipeline("steps: { a: { run: 'true' } }");
  const refused = begin("run", file, "--data", data);
  expect([await refused.exit, refused.output()]).toEqual([4, expect.any(String)]); // another's token
  expect(servers()).toHaveLength(1);
  expect(findProcesses([TOKEN])).toEqual([]);
  const path = begin("run", file, "--repo", ".");
  expect([await path.exit, path.output()]).toEqual([1, expect.stringContaining("elsewhere")]);
}, 120_000);

test("on a terminal the steps are a tree, drawn in place", async () => {
  const { checkout, env, pipeline } = await scene({ DATABASE_URL: await scratchDatabase() });
  const file = pipeline(`
steps:
  plan: { run: "true" }
  build: { needs: [plan], matrix: { part: [one, two] }, run: "printf '\\\\033[2Jhello\\\\033]0;x\\\\007\\\\n'; exit 3" }
  after: { needs: [build], run: "true" }
`);
  const command = `stty rows 20 cols 60; '${process.execPath}' '${croftCommand}' run '${file}'`;
  const args = ["-qec", command, "/dev/null"];
  let shown = "";
  try {
    shown = execFileSync("script", args, {
      ...{ cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
      env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", NO_COLOR: "1", ...env },
    });
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    expect(status).toBe(1);
    shown = stdout;
  }
  expect(shown).toContain("\x1b[?25l");
  const end = shown.slice(shown.lastIndexOf("\x1b[J")).replaceAll("\r", "");
  expect(end).toMatch(/pipeline #1\n✓ plan \d+\.\d s\n✗ build 2 of 2, \d+\.\d s/);
  expect(end).toMatch(/\n {2}✗ one \d+\.\d s {2}the command ended/);
  expect(end).toMatch(/\n– after .*\n/);
  expect(end).toContain("\n\x1b[?25hcroft: run");
  expect(end).toMatch(/\n {2}\| hello\n/);
  expect(shown).not.toContain("\x1b[2J");
  expect(shown).not.toContain("\x1b]0");
}, 120_000);
