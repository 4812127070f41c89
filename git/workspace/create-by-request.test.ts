// What a request names is resolved with the caller's own credential, and nothing else is given.
import { existsSync, readdirSync } from "node:fs";
import { chmod, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openGit } from "../open-git.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceRequest } from "./workspace-request.ts";

const owner = { owner: "app:1" };

async function prepare() {
  const root = await scratchDirectory();
  const remotes = join(root, "remotes");
  const origin = await makeRepository(remotes, "app", { files: 30, commits: 4 });
  const server = await startGitServer(remotes);
  const data = join(root, "data");
  const git = await openGit({ data });
  const made: Workspace[] = [];
  onTestFinished(async () => {
    for (const workspace of made) await workspace.remove();
    await git.close();
    expect(findLeftovers(data)).toEqual([]);
  });
  const repository = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const create = async (request: Partial<WorkspaceRequest> = {}) => {
    const whole = { repository, name: "request", owner, ...request };
    const workspace = await git.workspaces.create(whole);
    made.push(workspace);
    return workspace;
  };
  const idOf = (ref: string) => plainGit(["--git-dir", origin, "rev-parse", `${ref}^{commit}`]);
  const inOrigin = (...args: string[]) => plainGit(["--git-dir", origin, ...args]);
  return { root, remotes, origin, server, data, git, repository, create, idOf, inOrigin };
}

test("branches, tags of both kinds, pull requests and commit ids give their commit", async () => {
  const { create, idOf, inOrigin } = await prepare();
  await inOrigin("tag", "light", "main~1");
  await inOrigin("tag", "-a", "-m", "heavy", "heavy", "main~2");
  await inOrigin("update-ref", "refs/pull/7/head", "main~3");
  const older = await idOf("main~2");
  const cases = [undefined, "main", "light", "heavy", "refs/pull/7/head", older];
  const wanted = ["main", "main", "main~1", "main~2", "main~3", "main~2"];
  for (const [index, ref] of cases.entries()) {
    const workspace = await create({ ref });
    expect(workspace.base).toBe(await idOf(wanted[index] ?? ""));
    const { stdout } = await workspace.run(["git", "rev-parse", "HEAD"]);
    expect(stdout.toString("utf8").trim()).toBe(workspace.base);
  }
});

test("a commit that the mirror has, but no branch or tag leads to any more, is not given", async () => {
  const { create, idOf, inOrigin } = await prepare();
  const secret = await idOf("main");
  await create();
  await inOrigin("update-ref", "refs/heads/main", "main~1");
  await expect(create({ ref: secret })).rejects.toMatchObject({ code: "invalid-ref" });
  expect((await create()).base).toBe(await idOf("main"));
});

test("a caller whose token was revoked gets nothing, although others have fetched it", async () => {
  const { create, server, git } = await prepare();
  server.tokens = new Set(["good"]);
  const access = (password: string) => ({ tokens: staticToken({ username: "x", password }) });
  await create({ access: access("good") });
  await expect(create({ access: access("revoked") })).rejects.toMatchObject({ code: "auth" });
  await expect(create({})).rejects.toMatchObject({ code: "auth" });
  expect(await git.ledger.list()).toHaveLength(1);
});

test("a fork is a repository of its own, named by its address", async () => {
  const { create, remotes, origin, server } = await prepare();
  await plainGit(["clone", "--quiet", "--bare", origin, join(remotes, "fork.git")]);
  const fork = ["--git-dir", join(remotes, "fork.git")];
  const tree = await plainGit([...fork, "rev-parse", "main^{tree}"]);
  const made = await plainGit([...fork, "commit-tree", "-p", "main", "-m", "of the fork", tree]);
  await plainGit([...fork, "update-ref", "refs/heads/patch", made]);
  const repository = parseRemoteUrl(server.url("fork"), { allowHttp: [server.host] });
  const workspace = await create({ repository, ref: "patch" });
  expect(workspace.base).toBe(made);
  await expect(create({ ref: made })).rejects.toMatchObject({ code: "invalid-ref" });
});

test("while the first fetch of a mirror runs, a job begins from its one commit", async () => {
  const { create, server, git, repository, idOf } = await prepare();
  server.fault = { kind: "throttle", bytesPerSecond: 1000, after: 2 };
  const slow = git.mirrors.fetch(repository, ["refs/heads/*"]);
  const stateOf = () => git.mirrors.stateOf(repository);
  await expect.poll(stateOf).toBe("first-fetch");
  await expect.poll(() => server.requests.length).toBeGreaterThanOrEqual(3);
  server.fault = undefined; // the fetch that runs stays slow
  const workspace = await create({ ref: "main", patienceMs: 0, branch: "early" });
  expect(await stateOf()).toBe("first-fetch");
  expect(workspace).toMatchObject({ kind: "clone", base: await idOf("main") });
  expect(workspace.reason).toContain("first fetch");
  const run = await workspace.run([
    "sh",
    "-c",
    "git log --oneline | wc -l; echo more > more; git status --porcelain",
  ]);
  expect(run.stdout.toString("utf8").replaceAll(" ", "")).toBe("1\n??more\n");
  server.fault = undefined;
  const result = await workspace.result(); // waits for the mirror, from which results borrow
  await slow;
  expect(result.base).toBe(workspace.base);
  const published = await workspace.publish({ branch: "early", commit: result.commit });
  expect(await idOf("early")).toBe(published.commit);
});

test("a sparse checkout has only the directories that were asked for", async () => {
  const { create } = await prepare();
  const workspace = await create({ sparse: ["src/d0/e1"] });
  expect(workspace.kind).toBe("clone");
  expect(workspace.reason).toContain("sparse");
  expect(existsSync(join(workspace.path, "src/d0/e0"))).toBe(false);
  const { stdout } = await workspace.run(["git", "status", "--porcelain"]);
  expect(stdout.toString("utf8")).toBe("");
});

test.each(["-x", "refs/heads/x", "a..b", "HEAD", "x.lock", "a b", "@{1}", ""])(
  "'%s' is no name for a branch",
  async (branch) => {
    const { create } = await prepare();
    await expect(create({ branch })).rejects.toMatchObject({ code: "invalid-request" });
  },
);

test("a mirror that is found damaged is fetched anew, and the workspace is made", async () => {
  const { create, git, repository, idOf } = await prepare();
  await (await create({ kind: "clone" })).remove();
  const packs = join(git.mirrors.pathOf(repository), "objects/pack");
  for (const name of readdirSync(packs).filter((file) => file.endsWith(".pack"))) {
    await chmod(join(packs, name), 0o644);
    await truncate(join(packs, name), 100);
  }
  const workspace = await create({ kind: "clone" });
  expect(workspace.base).toBe(await idOf("main"));
  expect((await workspace.run(["git", "fsck"])).exitCode).toBe(0);
});
