// Pipelines as users have them: the examples, on a real repository, with real commands.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, RunAdvancer, showRun, startRun, startWorker } from "@croft/engine";
import { commitId, parseRemoteUrl } from "@croft/git";
import { expect, onTestFinished, test } from "vitest";
import { checkIdleQueue } from "./support/check-queue.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { scratchEngine } from "./support/scratch-engine.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };
const examples = join(import.meta.dirname, "../examples");

function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" }).trim();
}

/** A bare repository with a few files, on this machine. */
async function makeOrigin(): Promise<string> {
  const directory = await scratchDirectory();
  const work = join(directory, "work");
  mkdirSync(work);
  git(work, "init", "--quiet", "--initial-branch", "main");
  for (const name of ["api", "web"]) {
    mkdirSync(join(work, "packages", name), { recursive: true });
    writeFileSync(join(work, "packages", name, "package.json"), `{"name":"${name}"}\n`);
  }
  writeFileSync(join(work, "README.md"), "# A repository\n");
  git(work, "add", ".");
  git(work, "commit", "--quiet", "-m", "first");
  git(directory, "clone", "--quiet", "--bare", work, "origin.git");
  return join(directory, "origin.git");
}

async function runScene() {
  const engine = await scratchEngine({ "git.allowLocal": true });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  return { engine, origin: await makeOrigin() };
}

async function run(engine: Engine, repository: string, text: string, inputs = {}) {
  const id = await startRun(engine, {
    ...{ owner: "local", text, inputs, repository, priority: "normal", startedBy: "test" },
  });
  const detail = () => showRun(engine.database, ALL, id);
  await waitUntil("the end of the run", async () => (await detail()).finished_at !== null, 60_000);
  return await detail();
}

/** What the example leaves out when all goes well. */
const SKIPPED: Record<string, readonly string[]> = {
  ...{ hello: [], "matrix-packages": [], "plan-fan-out": [] },
  ...{ nightly: ["alarm"], "parallel-agents": ["approve"] },
};

test.each(Object.keys(SKIPPED))(
  "the example '%s' runs",
  async (name) => {
    const { engine, origin } = await runScene();
    const text = readFileSync(join(examples, `${name}.yaml`), "utf8");
    const detail = await run(engine, origin, text);
    expect(detail.steps.flatMap(({ error }) => error ?? [])).toEqual([]);
    const skipped = detail.steps.filter(({ status }) => status === "skipped");
    expect(skipped.map(({ step }) => step)).toEqual(SKIPPED[name]);
    const done = detail.steps.filter(({ status }) => status === "done");
    expect(done).toHaveLength(detail.steps.length - skipped.length);
    expect(detail.status).toBe("done");
    const { pool } = engine.database;
    await waitUntil("nothing to be left", async () => (await checkIdleQueue(pool)).length === 0);
  },
  120_000,
);

test("what several steps made is merged and pushed, and the remote has it", async () => {
  const { engine, origin } = await runScene();
  const text = readFileSync(join(examples, "plan-fan-out.yaml"), "utf8");
  const { steps } = await run(engine, origin, text, { branch: "made/by-croft" });
  const push = steps.find(({ step }) => step === "push");
  expect(push).toMatchObject({ branch: "made/by-croft", commit: expect.any(String) });
  expect(git(origin, "rev-parse", "made/by-croft")).toBe(push?.commit);
  const files = git(origin, "ls-tree", "-r", "--name-only", "made/by-croft").split("\n");
  expect(files).toEqual(
    expect.arrayContaining(["INDEX-croft", "LICENSE-croft", "README-croft.md"]),
  );
  const written = steps.filter(({ step, item }) => step === "write" && item !== null);
  for (const { commit } of written) {
    expect(git(origin, "merge-base", "--is-ancestor", commit ?? "", "made/by-croft")).toBe("");
  }
}, 120_000);

test("a command that fails fails its run with the reason, and others are not begun", async () => {
  const { engine, origin } = await runScene();
  const text = `
steps:
  bad: { run: "echo oops; exit 3", artifacts: { a: a.txt } }
  never: { needs: [bad], run: "true" }
  tidy: { needs: [bad], if: always(), run: "true" }
`;
  const detail = await run(engine, origin, text);
  expect(detail).toMatchObject({
    status: "failed",
    error: { class: "command", message: "step 'bad': the command ended with exit code 3" },
  });
  expect(detail.steps.map(({ step, status }) => [step, status])).toEqual([
    ...[
      ["bad", "failed"],
      ["never", "skipped"],
      ["tidy", "done"],
    ],
  ]);
}, 60_000);

test("checks hold a step to what was asked of it", async () => {
  const { engine, origin } = await runScene();
  const detail = await run(
    engine,
    origin,
    `
steps:
  outside: { run: "echo x > README.md", checks: [{ no-diff-outside: ["docs/**"] }] }
  warned: { run: "echo x > README.md", checks: [{ no-diff-outside: ["docs/**"], on-failure: warn }] }
  empty: { run: ": > a.json", artifacts: { a: a.json }, checks: [{ not-empty: a }] }
  missing: { run: "true", artifacts: { a: a.json } }
  ordered: { run: "true", checks: [{ command: "test -f packages/api/package.json" }] }
`,
  );
  const told = Object.fromEntries(detail.steps.map(({ step, error }) => [step, error?.message]));
  expect(told).toEqual({
    outside: "check 'no-diff-outside': changed outside of what it may: README.md",
    warned: undefined,
    empty: "check 'not-empty': 'a' is empty",
    missing: expect.stringContaining("artifact 'a'"),
    ordered: undefined,
  });
  expect(detail.steps.find(({ step }) => step === "warned")?.report).toMatchObject({
    warnings: ["no-diff-outside: changed outside of what it may: README.md"],
  });
}, 60_000);

test("a step has other repositories beside it, and they are no part of its result", async () => {
  const { engine, origin } = await runScene();
  const other = await makeOrigin();
  const detail = await run(
    engine,
    origin,
    `
steps:
  both:
    workspace: { repositories: { lib: { url: "${other}", path: vendor/lib } } }
    run: |
      test -f vendor/lib/README.md
      echo changed > vendor/lib/README.md
      echo own > own.txt
`,
  );
  expect(detail.error).toBe(null);
  const [step] = detail.steps;
  const git = await engine.git();
  const repository = parseRemoteUrl(origin, { allowLocal: true });
  const changes = await git.results.changes({
    ...{ owner: "local", repository },
    ...{ from: commitId(detail.commit ?? ""), to: commitId(step?.commit ?? "") },
  });
  expect(changes).toEqual([{ path: "own.txt", isRemoved: false }]);
}, 60_000);
