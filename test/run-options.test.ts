// What steps may ask for, each seen at work: where and in what they run, when they are tried again, whom they wait for.
import { chmodSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { withoutProgram } from "./support/changed-machine.ts";
import { runCroft, startServer } from "./support/croft-process.ts";
import { startGitServer } from "./support/git-server.ts";
import { git, makeRepository } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { openRuns, sharedRuns } from "./support/shared-runs.ts";
import { getJson } from "./support/sign-in.ts";
import { silentLog } from "./support/silent-log.ts";

const runs = sharedRuns();

function stepOf({ steps }: RunDetail, name: string) {
  return steps.find(({ step }) => step === name);
}

/** Counts its attempts in a file that lies outside of the workspace, and is good from the third one on. */
async function counting(): Promise<{ script: string; count: () => Promise<number> }> {
  const directory = await scratchDirectory();
  chmodSync(directory, 0o777); // commands may run as another user
  const file = join(directory, "count");
  return {
    script: `n=$(cat ${file} 2>/dev/null || echo 0); echo $((n + 1)) > ${file}; test $n -ge 2`,
    count: async () => Number(await readFile(file, "utf8")),
  };
}

test("working-directory and sparse: a step is where it asked to be, with what it asked for", async () => {
  const { run, logOf } = runs();
  const detail = await run(`
steps:
  where: { working-directory: src/d0, run: 'test -d e0; pwd' }
  few: { workspace: { sparse: [src/d0/e0] }, run: 'git ls-files -t | cut -c1 | sort -u; ls src' }
  nowhere: { working-directory: no/such, run: "true", continue-on-error: true }
`);
  expect(detail).toMatchObject({ status: "done", error: null });
  expect(await logOf(stepOf(detail, "where")?.job_id)).toMatch(/\/src\/d0\n/);
  expect(await logOf(stepOf(detail, "few")?.job_id)).toContain("d0");
  expect(stepOf(detail, "nowhere")?.status).toBe("failed");
  expect(stepOf(detail, "nowhere")?.error?.message).toContain("no/such");
});

test.each([
  { on: "[command]", status: "done", count: 3 },
  { on: "[timeout, check, transient]", status: "failed", count: 1 },
])("retry of $on: a command that fails is tried $count times", async ({ on, status, count }) => {
  const { script, count: counted } = await counting();
  const detail = await runs().run(`
steps:
  try: { sandbox: off, retry: { attempts: 3, delay: 1ms, on: ${on} }, run: '${script}' }
`);
  expect(detail.status).toBe(status);
  expect(await counted()).toBe(count);
});

test("a check with on-failure: retry has the step done again, until it holds", async () => {
  const { script, count } = await counting();
  const detail = await runs().run(`
steps:
  make:
    sandbox: off
    retry: { attempts: 3, delay: 1ms, on: [check] }
    run: '(${script}) && echo good > made.txt || true'
    checks: [{ command: "test -s made.txt", on-failure: retry }]
`);
  expect(detail).toMatchObject({ status: "done", error: null });
  expect(await count()).toBe(3);
});

test("depends-on: an item begins when those it waits for have ended", async () => {
  const { run, query } = runs();
  const detail = await run(`
steps:
  build:
    matrix:
      part: [{ name: app, wants: [lib, ui] }, { name: ui, wants: [lib] }, { name: lib, wants: [] }]
      depends-on: "\${{ matrix.part.wants }}"
    run: sleep 0.2
`);
  expect(detail).toMatchObject({ status: "done", error: null });
  const jobs = await query<{ item: string; begun: Date; ended: Date }>(
    `select input ->> 'item' as item, started_at as begun, finished_at as ended
     from croft.job where run_id = $1 and type = 'step' order by started_at`,
    [detail.id],
  );
  expect(jobs.map(({ item }) => item)).toEqual(["lib", "ui", "app"]);
  jobs.slice(1).forEach(({ begun }, index) => {
    expect(begun.getTime()).toBeGreaterThanOrEqual(jobs[index]?.ended.getTime() ?? Infinity);
  });
});

test("nobody answers in time: the approval fails, and with it what needs it", async () => {
  const detail = await runs().run(`
steps:
  ask: { approval: { timeout: 500ms } }
  after: { needs: [ask], run: "true" }
`);
  expect(detail.status).toBe("failed");
  expect(stepOf(detail, "ask")).toMatchObject({ status: "failed", error: { class: "timeout" } });
  expect(stepOf(detail, "after")?.status).toBe("skipped");
});

test("submodules and large files come when a step asks for them, and not otherwise", async () => {
  const root = await scratchDirectory();
  const oid = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"; // of "foo"
  const library = await makeRepository(root, "library", { files: 1 });
  const whole = await makeRepository(root, "whole", { files: 1 });
  const remote = await startGitServer(root);
  await mkdir(join(whole, "lfs"));
  await writeFile(join(whole, "lfs", oid), "foo");
  const checkout = join(root, "checkout");
  await git(["clone", "--quiet", whole, checkout]);
  await git(["config", "user.email", "t@example.org"], checkout);
  await git(["config", "user.name", "T"], checkout);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 3\n`;
  await writeFile(join(checkout, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  await writeFile(join(checkout, "large.bin"), pointer);
  const id = (await git(["rev-parse", "main"], library)).trim();
  await writeFile(
    join(checkout, ".gitmodules"),
    `[submodule "library"]\n\tpath = library\n\turl = ${remote.url("library")}\n`,
  );
  await git(["add", ".gitattributes", ".gitmodules", "large.bin"], checkout);
  await git(["update-index", "--add", "--cacheinfo", `160000,${id},library`], checkout);
  await git(["commit", "--quiet", "--message=more"], checkout);
  await git(["push", "--quiet", "origin", "HEAD:main"], checkout);
  const { run } = await openRuns(
    { "git.allowHttp": remote.host },
    silentLog,
    (clearUp) => void onTestFinished(clearUp),
  );
  const detail = await run(
    `
steps:
  all: { workspace: { submodules: true, lfs: true }, run: 'test "$(cat large.bin)" = foo; test -d library/src' }
  none: { run: 'grep -q oid large.bin; test -z "$(ls library)"' }
`,
    { repository: remote.url("whole") },
  );
  expect(detail).toMatchObject({ status: "done", error: null });
});

test("a run of an app goes to public addresses only", async () => {
  const { run } = await openRuns(
    { "git.allowHttp": "127.0.0.1:1" },
    silentLog,
    (clearUp) => void onTestFinished(clearUp),
  );
  const repository = "http://127.0.0.1:1/inner.git";
  const detail = await run("steps: { one: { run: echo } }", { owner: "app:1", repository });
  expect(detail).toMatchObject({ status: "failed", error: { code: "private-address" } });
});

test.runIf(process.getuid?.() === 0)(
  "sandbox: on, on a machine without bubblewrap: the run fails with the reason, and the command never runs",
  async () => {
    const root = await scratchDirectory();
    const repository = await makeRepository(root, "small", { files: 1 });
    const env = { CROFT_GIT_ALLOW_LOCAL: "true", DATABASE_URL: await scratchDatabase() };
    const data = join(root, "data");
    const bare = withoutProgram("bwrap", await scratchDirectory());
    const server = await startServer(data, { ...bare, env });
    onTestFinished(async () => void (await server.stop()));
    const file = join(root, "pipeline.yaml");
    const steps = 'steps:\n  safe: { sandbox: on, run: echo ran }\n  other: { run: "true" }\n';
    await writeFile(file, `repository: ${repository}\n${steps}`);
    const process = runCroft(["run", file], { env: { CROFT_DATA: data } });
    expect(await process.exit).toBe(1);
    const detail = (await getJson(server, `/api/runs/${process.stdout().trim()}`)) as RunDetail;
    expect(stepOf(detail, "safe")).toMatchObject({
      status: "failed",
      error: { code: "no-sandbox" },
    });
    expect(stepOf(detail, "other")?.status).toBe("done");
  },
);
