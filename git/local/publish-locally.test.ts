// A branch of a developer's repository moves only forward, and never under work that is not committed.
import { existsSync, readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitProcess } from "../../test/support/git-process.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { worktreeScene } from "../../test/support/worktree-scene.ts";
import { openGit } from "../open-git.ts";
import { commitId } from "../remote/commit-id.ts";

const FILE = "src/d0/e0/file-1.txt";

async function prepare() {
  const { root, repository: checkout, head, origin } = await worktreeScene();
  const data = join(root, "data");
  const git = await openGit({ data, onReport: () => {} });
  onTestFinished(() => git.close());
  const here = (...args: string[]) => plainGit(args, checkout);
  const owner = { owner: "local", runId: "r" };
  /** By a workspace of the kind worktree, as a step of a pipeline makes it. */
  const work = async (script: string, base: string, ref = "refs/croft/runs/r/step") => {
    const workspace = await git.workspaces.createWorktree({
      repository: checkout,
      name: "step",
      base,
      owner,
    });
    try {
      await workspace.run(["/bin/sh", "-euc", script]);
      return (await workspace.result({ ref })).commit;
    } finally {
      await workspace.remove();
    }
  };
  const publish = (branch: string, commit: string, more = {}) =>
    git.local.publish({ checkout, branch, commit: commitId(commit), ...more });
  return { root, data, origin, checkout, head, git, here, work, publish };
}

test("a step's result outlives its worktree, and the next step begins there", async () => {
  const { here, work, head } = await prepare();
  const first = await work("echo 1 > one", head);
  expect(await here("rev-parse", "refs/croft/runs/r/step")).toBe(first);
  const second = await work("cat one; echo 2 > two", first, "refs/croft/runs/r/next");
  expect(await here("log", "--format=%H", `${head}..${second}`)).toBe(`${second}\n${first}`);
  expect(await here("branch", "--list")).toBe("* main");
  await expect(work("true", head, "refs/heads/main")).rejects.toMatchObject({
    code: "invalid-request",
  });
});

test("a new branch, then forward, and not sideways unless told", async () => {
  const { here, work, head, publish } = await prepare();
  const one = await work("echo 1 > one", head);
  const more = await work("echo 2 > two", one);
  const other = await work("echo x > other", head);
  await publish("topic", one);
  await publish("topic", more);
  await publish("topic", more);
  for (const [commit, expected] of [
    [other, undefined],
    [one, undefined],
    [other, one],
    [other, "none"],
  ] as const) {
    const sideways = publish("topic", commit, { expected });
    await expect(sideways).rejects.toMatchObject({
      code: "conflict",
      message: `branch 'topic' has moved: it is at ${more}`,
    });
  }
  await expect(publish("missing", one, { expected: one })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await here("rev-parse", "topic")).toBe(more);
  await publish("topic", other, { expected: more });
  await publish("topic", one, { force: true });
  expect(await here("rev-parse", "topic")).toBe(one);
  for (const bad of ["", "-x", "HEAD", "refs/heads/x", "a..b"]) {
    await expect(publish(bad, one)).rejects.toMatchObject({ code: "invalid-request" });
  }
  await expect(publish("topic", "9".repeat(40))).rejects.toMatchObject({ code: "no-commit" });
});

test("what is checked out moves with its files; with changes, or files in the way, it stays", async () => {
  const { here, work, head, publish, checkout } = await prepare();
  const next = await work(`echo changed >> ${FILE}; echo new > new`, head);
  await appendFile(join(checkout, FILE), "mine\n");
  const changed = { code: "conflict", message: expect.stringContaining("with changes") };
  await expect(publish("main", next)).rejects.toMatchObject(changed);
  await here("checkout", "--quiet", "--", FILE);
  await writeFile(join(checkout, "new"), "mine\n");
  await expect(publish("main", next)).rejects.toMatchObject(changed);
  await expect(publish("main", next, { force: true })).rejects.toMatchObject(changed);
  expect(readFileSync(join(checkout, "new"), "utf8")).toBe("mine\n");
  expect(await here("rev-parse", "main")).toBe(head);
  await here("clean", "-fq");
  await writeFile(join(checkout, "untracked"), "mine\n");
  await publish("main", next);
  expect(await here("rev-parse", "main", "HEAD")).toBe(`${next}\n${next}`);
  expect(await here("status", "--porcelain")).toBe("?? untracked");
  expect(readFileSync(join(checkout, "new"), "utf8")).toBe("new\n");
});

test("a branch that a worktree has, ours or another's, or that is being rebased, is left to it", async () => {
  const { here, work, head, publish, checkout, git, root } = await prepare();
  const next = await work("echo 1 > one", head);
  const owner = { owner: "local" };
  const step = await git.workspaces.createWorktree({
    repository: checkout,
    name: "busy",
    branch: "busy",
    owner,
  });
  await expect(publish("busy", next)).rejects.toMatchObject({ code: "branch-in-use" });
  await step.remove();
  await publish("busy", next);
  const beside = join(root, "beside");
  await here("worktree", "add", "--quiet", "-b", "beside", beside, head);
  await publish("beside", next);
  expect(existsSync(join(beside, "one"))).toBe(true);
  expect(await plainGit(["status", "--porcelain"], beside)).toBe("");
  await here("checkout", "--quiet", "-b", "rebased", head);
  await here("-c", "sequence.editor=sed -i '1i break'", "rebase", "-i", "HEAD~1");
  await expect(publish("rebased", next)).rejects.toMatchObject({ code: "branch-in-use" });
  await here("rebase", "--abort");
});

test("killed at any moment, it is done again: the branch is where it was or where it should be", async () => {
  const { work, head, publish, checkout, here, data, git } = await prepare();
  const random = seededRandom(3);
  let tip = head;
  for (let kill = 0; kill < 10; kill++) {
    const next = await work(`echo ${kill} > file-${kill}; echo ${kill} >> ${FILE}`, tip);
    const body = `
      say("begin");
      await git.local.publish({ checkout: repository, branch: "main", commit: commitId("${next}") });
      say("end");`;
    const other = gitProcess({ data, origin: checkout, body });
    await other.hasSaid("begin");
    await new Promise((resolve) => setTimeout(resolve, random.below(150)));
    other.signal("SIGKILL");
    await other.ended();
    expect([tip, next]).toContain(await here("rev-parse", "main"));
    await publish("main", next);
    tip = next;
    expect(await here("status", "--porcelain")).toBe("");
  }
  expect(await git.sweep()).toMatchObject({ kept: [] });
}, 240_000);
