// A worktree's commands share the caller's repository, but not what would make git run programs or give tokens away.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openGit } from "../open-git.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";

async function prepare() {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", { files: 5, commits: 1 });
  const server = await startGitServer(join(root, "remotes"));
  const checkout = join(root, "checkout");
  await plainGit(["clone", "--quiet", origin, checkout]);
  const data = join(root, "data");
  const git = await openGit({ data });
  const owner = { owner: "local" };
  const request = { repository: checkout, name: "tree", branch: "topic", owner };
  const workspace = await git.workspaces.createWorktree(request);
  onTestFinished(async () => {
    await workspace.remove();
    await git.close();
    expect(findLeftovers(data, [join(checkout, ".git")])).toEqual([]);
  });
  const run = async (script: string) => await workspace.run(["sh", "-c", script]);
  return { server, checkout, origin, workspace, run, git };
}

test("git works in it, and its branch is in the caller's repository at once", async () => {
  const { workspace, run, checkout } = await prepare();
  expect((await run("echo more > more && git status --porcelain")).stdout.toString()).toBe(
    "?? more\n",
  );
  const { commit, ref } = await workspace.result();
  expect(ref).toBe("refs/heads/topic");
  expect(await plainGit(["rev-parse", "topic"], checkout)).toBe(commit);
  expect(await workspace.diff()).toContain("+more");
  expect(await workspace.keep()).toBeUndefined();
});

test("its commands cannot change the repository's configuration, hooks or attributes", async () => {
  const { workspace, run } = await prepare();
  if (!workspace.isSandboxed) return;
  const common = '"$(git rev-parse --git-common-dir)"';
  for (const attempt of [
    "git config core.fsmonitor /bin/false",
    `echo x >> ${common}/config`,
    `mv ${common}/config ${common}/other`,
    `echo '#!/bin/sh' > ${common}/hooks/post-checkout`,
    `echo '* filter=x' > ${common}/info/attributes`,
  ]) {
    expect((await run(attempt)).exitCode, attempt).not.toBe(0);
  }
});

test("it is published with the caller's token, by a repository that the job could not configure", async () => {
  const { server, workspace, run, origin } = await prepare();
  server.tokens = new Set(["the-token"]);
  await run("echo more > more");
  const { commit } = await workspace.result();
  const remote = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const access = { tokens: staticToken({ username: "x", password: "the-token" }) };
  await expect(workspace.publish({ branch: "topic", commit, access })).rejects.toMatchObject({
    code: "invalid-request",
  });
  await workspace.publish({ branch: "topic", commit, access, remote });
  expect(await plainGit(["--git-dir", origin, "rev-parse", "topic"])).toBe(commit);
});
