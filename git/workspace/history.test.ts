// A workspace has as much history as it takes to know where it has left another branch, and says where.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { importBranch } from "../../test/support/import-branch.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openGit } from "../open-git.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceRequest } from "./workspace-request.ts";

async function prepare(commits: number) {
  const root = await scratchDirectory();
  const remotes = join(root, "remotes");
  const origin = await makeRepository(remotes, "app", { files: 5, commits, changesPerCommit: 1 });
  const server = await startGitServer(remotes);
  const data = join(root, "data");
  const git = await openGit({ data });
  const made: Workspace[] = [];
  const held: Promise<unknown>[] = [];
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await Promise.all(held);
    for (const workspace of made) await workspace.remove();
    await git.close();
    expect(findLeftovers(data)).toEqual([]);
  });
  const repository = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const create = async (request: Partial<WorkspaceRequest>) => {
    const plan = { repository, name: "history", owner: { owner: "app:1" } };
    const workspace = await git.workspaces.create({ ...plan, ...request });
    made.push(workspace);
    return workspace;
  };
  const inOrigin = (...args: string[]) => plainGit(["--git-dir", origin, ...args]);
  /** In a repository of its own, as a fork is; the pull request is a ref of the one that it is for. */
  const openPull = async (number: number, from: string, count: number) => {
    const fork = join(remotes, `fork-${number}.git`);
    await plainGit(["clone", "--quiet", "--bare", origin, fork]);
    await importBranch(fork, { ref: "refs/heads/patch", from, count });
    await inOrigin("fetch", "--quiet", fork, `+patch:refs/pull/${number}/head`);
  };
  /** Holds back the objects of the first fetch until the test ends. */
  const holdMirror = async () => {
    server.fault = { kind: "throttle", bytesPerSecond: 1000, after: 2 };
    const slow = git.mirrors.fetch(repository, ["refs/heads/*"], { signal: ending.signal });
    held.push(slow.catch(() => {})); // it ends with the test
    await expect.poll(() => git.mirrors.stateOf(repository)).toBe("first-fetch");
    await expect.poll(() => server.requests.length).toBeGreaterThanOrEqual(3);
    server.fault = undefined;
  };
  const idOf = (ref: string) => inOrigin("rev-parse", `${ref}^{commit}`);
  return { create, openPull, holdMirror, idOf, inOrigin, git, repository, server };
}

async function say(workspace: Workspace, script: string): Promise<string> {
  const { stdout, exitCode } = await workspace.run(["sh", "-c", script]);
  expect(exitCode).toBe(0);
  return stdout.toString("utf8").trim();
}

test("of a fork's pull request whose merge base is 500 commits back; no other pull request is fetched", async () => {
  const { create, openPull, idOf, git, repository } = await prepare(600);
  await openPull(7, "main~500", 30);
  await openPull(8, "main~400", 3);
  for (const kind of ["clone", undefined] as const) {
    const workspace = await create({ ref: "refs/pull/7/head", history: "main", kind });
    expect(workspace.mergeBase).toBe(await idOf("main~500"));
    const count = `git rev-list --count ${workspace.mergeBase}..HEAD`;
    expect(await say(workspace, count)).toBe("30");
  }
  const mirror = git.mirrors.pathOf(repository);
  const fetched = await plainGit(["--git-dir", mirror, "for-each-ref", "--format=%(refname)"]);
  expect(fetched).toContain("pull/7/head");
  expect(fetched).not.toContain("pull/8/head");
});

test.each([false, true])(
  "while the first fetch runs, history is fetched until the merge base is known (old server: %s)",
  async (isOld) => {
    const { create, openPull, holdMirror, idOf, server } = await prepare(2500);
    await openPull(7, "main~500", 30);
    await holdMirror();
    server.isOld = isOld;
    const workspace = await create({ ref: "refs/pull/7/head", history: "main", patienceMs: 0 });
    expect(workspace.reason).toContain("first fetch");
    expect(workspace.mergeBase).toBe(await idOf("main~500"));
    expect(await say(workspace, "git rev-parse --is-shallow-repository")).toBe("true");
    expect(await say(workspace, `git rev-list --count ${workspace.mergeBase}..HEAD`)).toBe("30");
  },
);

test("a short way to an old common commit does not hide a long one to a newer", async () => {
  const { create, holdMirror, idOf, inOrigin, openPull } = await prepare(2500);
  await openPull(7, "main~50", 300);
  const tree = await idOf("main").then((id) => inOrigin("rev-parse", `${id}^{tree}`));
  const [old, side] = [await idOf("main~90"), await idOf("refs/pull/7/head")];
  const merge = await inOrigin("commit-tree", "-p", old, "-p", side, "-m", "merge", tree);
  await inOrigin("update-ref", "refs/pull/7/head", merge);
  await holdMirror();
  const workspace = await create({ ref: "refs/pull/7/head", history: "main", patienceMs: 0 });
  expect(workspace.reason).toContain("first fetch");
  expect(workspace.mergeBase).toBe(await idOf("main~50"));
});

test("histories that have nothing in common have no merge base, first fetch or not", async () => {
  const { create, holdMirror, inOrigin } = await prepare(200);
  const tree = await inOrigin("rev-parse", "main^{tree}");
  const alone = await inOrigin("commit-tree", "-m", "alone", tree);
  await inOrigin("update-ref", "refs/pull/7/head", alone);
  await holdMirror();
  const early = await create({ ref: "refs/pull/7/head", history: "main", patienceMs: 0 });
  expect(early.reason).toContain("first fetch");
  expect(early.mergeBase).toBeUndefined();
});

test("a workspace that begins at a result, and a commit named by its id", async () => {
  const { create, openPull, idOf } = await prepare(20);
  await openPull(7, "main~10", 2);
  const first = await create({ ref: "refs/pull/7/head" });
  expect(first.mergeBase).toBeUndefined();
  await say(first, "echo more > more");
  const { commit, base } = await first.result();
  const next = await create({ from: { commit, base }, history: await idOf("main~3") });
  expect(next.mergeBase).toBe(await idOf("main~10"));
  await expect(create({ history: "no-such-branch" })).rejects.toMatchObject({
    code: "invalid-ref",
  });
});
