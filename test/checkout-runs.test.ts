// Runs on a checkout of this machine: worktrees of it, results in it, and its owner is not disturbed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import {
  createApp,
  type Engine,
  keepBeginning,
  lookAtCheckout,
  RunAdvancer,
  retryRun,
  showRun,
  startRun,
  startWorker,
} from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { forgetInCheckouts } from "../engine/runs/forget-in-checkouts.ts";
import { findLeftovers } from "./support/find-leftovers.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { engineOn, scratchEngine } from "./support/scratch-engine.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { isRoot } from "./support/workspace-scene.ts";
import { giveTree } from "./support/worktree-scene.ts";

const ALL = { owner: undefined };
const OWNER_ID = 4711;

function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" }).trim();
}

async function makeCheckout(): Promise<string> {
  const checkout = join(await scratchDirectory(), "a checkout"); // with a space, as people have them
  mkdirSync(join(checkout, "ci"), { recursive: true });
  git(checkout, "init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(checkout, "README.md"), "# A checkout\n");
  writeFileSync(
    join(checkout, "ci/part.yaml"),
    `outputs: { said: "\${{ steps.say.outputs.word }}" }
steps:
  say: { run: 'echo word=hello >> "$CROFT_OUTPUT"', outputs: [word] }
`,
  );
  git(checkout, "add", ".");
  git(checkout, "commit", "--quiet", "-m", "first");
  return checkout;
}

async function scene() {
  const engine = await scratchEngine();
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  const checkout = await makeCheckout();
  const begin = async (text: string, more: { ref?: string; uncommitted?: boolean } = {}) => {
    const found = await lookAtCheckout(engine, { path: checkout, ...more });
    const asked = { owner: "local", inputs: {}, priority: "normal", startedBy: "test" } as const;
    return await startRun(engine, { ...asked, text, file: "ci/main.yaml", checkout: found });
  };
  return {
    ...{ engine, checkout, begin },
    run: async (text: string, more = {}) => await ended(engine, await begin(text, more)),
  };
}

async function ended(engine: Engine, id: string, attempt = 1): Promise<RunDetail> {
  const detail = () => showRun(engine.database, ALL, id);
  const hasEnded = async () => {
    const run = await detail();
    return run.attempt === attempt && run.finished_at !== null;
  };
  await waitUntil("the end of the run", hasEnded, 60_000);
  return await detail();
}

function nothingIsLeft(engine: Engine, checkout: string): void {
  expect(findLeftovers(engine.config.data, [join(checkout, ".git")])).toEqual([]);
  expect(git(checkout, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(git(checkout, "status", "--porcelain")).toBe("");
}

test("steps work in worktrees, and merge and publish in the checkout's own repository", async () => {
  const { engine, checkout, run } = await scene();
  const head = git(checkout, "rev-parse", "HEAD");
  const detail = await run(`
steps:
  plan:
    run: echo '["one","two"]' > tasks.json
    artifacts: { tasks: tasks.json }
    checks: [{ no-diff-outside: [tasks.json] }]
  write:
    needs: [plan]
    matrix: { name: "\${{ fromJSON(artifacts.plan.tasks) }}" }
    workspace: { from: plan, branch: "croft/\${{ matrix.name }}" }
    inject: { plan.tasks: in/tasks.json }
    run: |
      test "$(git branch --show-current)" = "croft/\${{ matrix.name }}"
      test -f in/tasks.json -a -f tasks.json
      rm -r in
      echo \${{ matrix.name }} > \${{ matrix.name }}.txt
  part: { uses: part.yaml, outputs: [said] }
  heard: { needs: [part], run: "test '\${{ needs.part.outputs.said }}' = hello" }
  merge: { needs: [write], integrate: write }
  push: { needs: [merge], publish: { from: merge, branch: made/together } }
`);
  expect(detail.steps.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect(detail).toMatchObject({ status: "done", commit: head, repository: checkout });
  const kinds = detail.steps.flatMap(({ report }) => report?.["kind"] ?? []);
  expect(new Set(kinds)).toEqual(new Set(["worktree"]));
  const push = detail.steps.find(({ step }) => step === "push");
  expect(git(checkout, "rev-parse", "made/together")).toBe(push?.commit);
  const files = git(checkout, "ls-tree", "-r", "--name-only", "made/together").split("\n");
  expect(files).toEqual(["README.md", "ci/part.yaml", "one.txt", "tasks.json", "two.txt"]);
  for (const { step, item, commit } of detail.steps) {
    if (commit === null || step === "push") continue;
    const ref = `refs/croft/runs/${detail.id}/${step}${item === null ? "" : `/${item}`}`;
    expect(git(checkout, "rev-parse", ref)).toBe(commit);
    expect(git(checkout, "merge-base", "--is-ancestor", commit, "made/together")).toBe("");
  }
  expect(git(checkout, "rev-parse", "main", "HEAD").split("\n")).toEqual([head, head]);
  nothingIsLeft(engine, checkout);
}, 120_000);

test("what is not committed is left out and told, or taken, and its owner's files stay as they are", async () => {
  const { engine, checkout, run, begin } = await scene();
  const look = (more = {}) => lookAtCheckout(engine, { path: join(checkout, "ci"), ...more });
  expect((await look()).warnings).toEqual([]);
  writeFileSync(join(checkout, "README.md"), "changed\n");
  writeFileSync(join(checkout, "new.txt"), "new\n");
  const status = git(checkout, "status", "--porcelain");
  expect((await look()).warnings).toEqual([
    "uncommitted changes are not included; --dirty takes them",
  ]);
  expect((await look({ uncommitted: true })).warnings).toEqual([]);
  writeFileSync(join(checkout, ".gitmodules"), '[submodule "lib"]\n\tpath = lib\n');
  const { warnings } = await look({ uncommitted: true });
  expect(warnings).toEqual(["submodules are empty directories in its steps"]);
  rmSync(join(checkout, ".gitmodules"));
  const steps = (command: string) => `steps: { see: { run: "${command}" } }`;
  const without = await run(steps("test ! -e new.txt; grep -q checkout README.md"));
  expect(without).toMatchObject({ status: "done", error: null });
  const dirty = await run(steps("test -e new.txt; grep -q changed README.md"), {
    uncommitted: true,
  });
  expect(dirty).toMatchObject({ status: "done", error: null });
  expect(git(checkout, "rev-parse", `refs/croft/runs/${dirty.id}/_start`)).toBe(dirty.commit);
  expect(git(checkout, "status", "--porcelain")).toBe(status);
  await expect(begin("steps: { a: { run: 'true' } }", { ref: "nowhere" })).rejects.toMatchObject({
    code: "invalid-input",
  });
}, 60_000);

test("what a run begins at is kept while it waits for its turn", async () => {
  const engine = await scratchEngine(); // nobody works
  const checkout = await makeCheckout();
  writeFileSync(join(checkout, "new.txt"), "new\n");
  const found = await lookAtCheckout(engine, { path: checkout, uncommitted: true });
  const asked = { owner: "local", inputs: {}, priority: "normal", startedBy: "test" } as const;
  const text = "steps: { a: { run: 'true' } }";
  const id = await startRun(engine, { ...asked, text, checkout: found });
  expect(await keepBeginning(engine, id, found)).toEqual([]);
  git(checkout, "gc", "--quiet", "--prune=now");
  expect(git(checkout, "ls-tree", "--name-only", found.commit)).toContain("new.txt");
});

test("what git has against a checkout is told", async () => {
  const engine = await scratchEngine();
  const checkout = await makeCheckout();
  const look = () => lookAtCheckout(engine, { path: checkout, uncommitted: true });
  git(checkout, "config", "filter.broken.process", "false");
  git(checkout, "config", "filter.broken.required", "true");
  writeFileSync(join(checkout, ".gitattributes"), "* filter=broken\n");
  await expect(look()).rejects.toMatchObject({ code: "invalid-input" });
  const empty = join(await scratchDirectory(), "empty");
  mkdirSync(empty);
  git(empty, "init", "--quiet");
  await expect(lookAtCheckout(engine, { path: empty })).rejects.toThrow("no commit yet");
});

test("a branch that a step made is made again by its next attempt, and what it had is kept", async () => {
  const { engine, checkout, run } = await scene();
  const first = await run(`
steps:
  work:
    workspace: { branch: croft/again }
    run: |
      echo "$CROFT_ATTEMPT" >> tries.txt
      git -c user.name=A -c user.email=a@b add . && git -c user.name=A -c user.email=a@b commit -qm try
      test "$CROFT_ATTEMPT" = 2
    retry: { attempts: 2, delay: 1ms, on: [command] }
`);
  expect(first).toMatchObject({ status: "done", error: null });
  const [work] = first.steps;
  expect(git(checkout, "rev-parse", "croft/again")).toBe(work?.commit);
  expect(git(checkout, "show", "croft/again:tries.txt")).toBe("2");
  expect(git(checkout, "show", `refs/croft/runs/${first.id}/_kept/work:tries.txt`)).toBe("1");
  await retryRun(engine, ALL, first.id, "work");
  expect(await ended(engine, first.id, 2)).toMatchObject({ status: "done", error: null });
  // The same name by another run is another's: it is left alone.
  const other = await run("steps: { work: { workspace: { branch: croft/again }, run: 'true' } }");
  expect(other.error?.message).toContain("branch 'croft/again' exists");
  nothingIsLeft(engine, checkout);
}, 60_000);

test("a branch is published only forward, and never under somebody who has it checked out", async () => {
  const { engine, checkout, run } = await scene();
  const text = (publish: string) => `
steps:
  work: { run: echo "$CROFT_RUN_ID" > made.txt }
  push: { needs: [work], publish: { from: work, ${publish} }, retry: none }
`;
  const onMain = await run(text("branch: main"));
  expect(onMain.error?.message).toMatch(/branch 'main' is checked out at '.*a checkout', and/);
  expect(await run(text("branch: out"))).toMatchObject({ status: "done" });
  const first = git(checkout, "rev-parse", "out");
  const beside = await run(text("branch: out"));
  expect(beside.error?.message).toContain("branch 'out' has moved");
  expect(git(checkout, "rev-parse", "out")).toBe(first);
  const conflicting = await run(text("branch: out, on-conflict: retry"));
  expect(conflicting.error?.message).toContain("conflicts");
  expect(await run(text("branch: out, force: true"))).toMatchObject({ status: "done" });
  expect(git(checkout, "rev-parse", "out")).not.toBe(first);
  nothingIsLeft(engine, checkout);
}, 120_000);

test("what a run recorded goes from the checkout with its results, and only its own", async () => {
  const { engine, checkout, run } = await scene();
  const text = "steps: { a: { run: 'echo x > x' } }";
  const [old, young] = [await run(text), await run(text)];
  const foreign = "refs/croft/runs/of-another-data-directory/a";
  git(checkout, "update-ref", foreign, "HEAD");
  await engine.database.pool.query(
    "update croft.run set results_removed_at = croft.now() where id = $1",
    [old.id],
  );
  await forgetInCheckouts(engine);
  const refs = git(checkout, "for-each-ref", "--format=%(refname)", "refs/croft").split("\n");
  const kept = ["_start", "a"].map((name) => `refs/croft/runs/${young.id}/${name}`);
  expect(refs.sort()).toEqual([...kept, foreign].sort());
}, 60_000);

test.runIf(isRoot)(
  "commands run as the owner of the checkout, to whom everything belongs",
  async () => {
    const { engine, checkout, run } = await scene();
    giveTree(checkout, OWNER_ID);
    const detail = await run(`
steps:
  work:
    workspace: { branch: mine }
    run: |
      test "$(id -u)" = ${OWNER_ID}
      test "$(stat -c %u README.md)" = ${OWNER_ID}
      echo who=$(id -u) >> "$CROFT_OUTPUT"
      echo made > made.txt
    outputs: [who]
    artifacts: { made: made.txt }
  next: { needs: [work], inject: { made: in.txt }, run: test -w in.txt }
  merge: { needs: [work], integrate: work }
  push: { needs: [merge], publish: { from: merge, branch: out } }
`);
    expect(detail.steps.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(detail.steps[0]?.outputs).toEqual({ who: String(OWNER_ID) });
    const foreign = execFileSync("find", [checkout, "!", "-uid", String(OWNER_ID)], {
      encoding: "utf8",
    });
    expect(foreign).toBe("");
    expect(findLeftovers(engine.config.data, [join(checkout, ".git")])).toEqual([]);
  },
  60_000,
);

test("kinds that cannot be are refused before anything runs", async () => {
  const { engine, begin } = await scene();
  const step = (workspace: string) => `steps: { a: { workspace: ${workspace}, run: "true" } }`;
  for (const workspace of ["{ kind: clone }", "{ kind: overlay }", "{ sparse: [a] }"]) {
    await expect(begin(step(workspace))).rejects.toThrow(/step 'a': .*checkout of this machine/);
  }
  const asked = { owner: "local", inputs: {}, priority: "normal", startedBy: "test" } as const;
  const remote = { ...asked, repository: "https://git.example/a/b" };
  await expect(
    startRun(engine, { ...remote, text: step("{ kind: worktree }") }),
  ).rejects.toMatchObject({ code: "invalid-input", message: expect.stringContaining("--repo") });
  const { rows } = await engine.database.pool.query("select id from croft.run");
  expect(rows).toEqual([]);
});

test("with workers on other machines a checkout is refused: they have not got its files", async () => {
  const url = await scratchDatabase();
  const [here, there] = [await engineOn(url), await engineOn(url)];
  const path = await makeCheckout();
  const worker = await startWorker(there);
  onTestFinished(() => worker.close(0));
  await expect(lookAtCheckout(here, { path })).rejects.toThrow("there are workers on others too");
  await worker.close(0);
  expect(await lookAtCheckout(here, { path })).toMatchObject({ warnings: [] });
});

test("only the token of the machine itself may name a checkout, and no app any path", async () => {
  const engine = await scratchEngine({ "git.allowLocal": true });
  const server = await scratchServer(engine);
  const path = await makeCheckout();
  const { token } = await createApp(engine.database, "an app");
  const post = async (bearer: string, body: object) => {
    const text = "steps: { a: { run: 'true' } }";
    const { statusCode } = await server.inject({
      ...{ method: "POST", url: "/api/runs", headers: { authorization: `Bearer ${bearer}` } },
      payload: { text, ...body },
    });
    return statusCode;
  };
  expect(await post(token, { checkout: { path } })).toBe(403);
  expect(await post(token, { repository: path })).toBe(422);
  expect(await post(token, { text: `repository: "${path}"\nsteps: { a: { run: 'true' } }` })).toBe(
    422,
  );
  expect(await post(engine.localToken, { checkout: { path: "relative" } })).toBe(422);
  expect(await post(engine.localToken, { checkout: { path: "/nowhere" } })).toBe(422);
  expect(existsSync(join(path, ".git/refs/croft"))).toBe(false);
  expect(await post(engine.localToken, { checkout: { path } })).toBe(202);
  expect(readdirSync(join(engine.config.data, "mirrors"))).toEqual([]);
});
