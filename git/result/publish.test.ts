// A publication has arrived when the remote says so, and changes nothing when the branch has moved.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import type { GitServer } from "../../test/support/serve-git.ts";
import { MACHINES, SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import type { GitError } from "../command/git-error.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";
import type { Workspace } from "../workspace/workspace.ts";

const scene = shareWorkspaces({ files: 3, commits: 2 });
const [machine] = SANDBOXED;

const inOrigin = (args: readonly string[]) => plainGit(["--git-dir", scene.origin, ...args]);
const branchAt = (branch: string) =>
  inOrigin(["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`]);

async function work(): Promise<{ job: Workspace; commit: CommitId }> {
  const job = await scene.create(machine ?? expect.fail());
  await shell(job, "date +%s.%N > new; echo $$ >> new");
  const { commit } = await job.result();
  return { job, commit };
}

/** The same repository, by HTTP. */
async function served() {
  const server = await startGitServer(dirname(scene.origin));
  const remote = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  return { server, remote };
}

test.each(MACHINES)("$name: a new branch, then more on it", async (one) => {
  const job = await scene.create(one, { branch: "work" });
  const branch = `made/by/${one.name.replaceAll(" ", "-")}`;
  await shell(job, "echo 1 > file");
  const first = await job.result();
  expect(await job.publish({ branch, commit: first.commit })).toEqual({
    branch,
    commit: first.commit,
  });
  expect(await branchAt(branch)).toBe(first.commit);
  await job.commit("first");
  await shell(job, "echo 2 > file");
  const second = await job.result(); // not on top of the first, which was never in the job's own repository
  const expected = first.commit;
  await expect(job.publish({ branch, commit: second.commit })).rejects.toMatchObject({
    code: "conflict",
  });
  await job.publish({ branch, commit: second.commit, expected });
  expect(await branchAt(branch)).toBe(second.commit);
  expect(await inOrigin(["show", `${branch}:file`])).toBe("2");
  await job.remove();
});

test("a branch that has moved is a conflict, and stays where it is", async () => {
  const { job, commit } = await work();
  const { commit: other, job: rival } = await work();
  const main = await branchAt("main");
  await rival.publish({ branch: "contested", commit: other });
  await expect(job.publish({ branch: "contested", commit })).rejects.toMatchObject({
    ...{ code: "conflict", message: `branch 'contested' has moved: it is at ${other}` },
  });
  for (const expected of ["none", commitId(main)] as const) {
    const again = job.publish({ branch: "contested", commit, expected });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
  }
  const missing = job.publish({ branch: "missing", commit, expected: other });
  await expect(missing).rejects.toMatchObject({
    ...{ code: "conflict", message: "branch 'missing' has moved: it does not exist" },
  });
  expect([await branchAt("contested"), await branchAt("missing"), await branchAt("main")]).toEqual([
    ...[other, "", main],
  ]);
  await job.publish({ branch: "mine", commit, expected: "none" });
  await job.publish({ branch: "mine", commit, expected: "none" }); // again, because the first answer was lost
  await job.publish({ branch: "contested", commit, expected: other });
  expect([await branchAt("contested"), await branchAt("mine")]).toEqual([commit, commit]);
  await Promise.all([job.remove(), rival.remove()]);
});

test("what the remote itself refuses is told as rejected", async () => {
  const { job, commit } = await work();
  const hook = join(scene.origin, "hooks/update");
  await mkdir(dirname(hook), { recursive: true });
  await writeFile(hook, "#!/bin/sh\necho 'not on a Sunday' >&2\nexit 1\n", { mode: 0o755 });
  const declined = await job
    .publish({ branch: "declined", commit })
    .catch((error: unknown) => error);
  await rm(hook);
  expect(declined).toMatchObject({ code: "rejected" });
  expect(String((declined as GitError).details.stderr)).toContain("not on a Sunday");
  // `main` is a branch, so it cannot be a directory of branches.
  const below = job.publish({ branch: "main/below", commit });
  await expect(below).rejects.toMatchObject({ code: "rejected" });
  expect([await branchAt("declined"), await branchAt("main/below")]).toEqual(["", ""]);
  await job.remove();
});

test("over HTTP with the caller's token, and not without", async () => {
  const { server, remote } = await served();
  const { job, commit } = await work();
  server.tokens = new Set(["good"]);
  const access = (password: string) => ({ tokens: staticToken({ username: "x", password }) });
  const publish = (more: Parameters<Workspace["publish"]>[0]["access"]) =>
    job.publish({ remote, branch: "by-http", commit, access: more });
  await expect(publish({})).rejects.toMatchObject({ code: "auth" });
  await expect(publish(access("bad"))).rejects.toMatchObject({ code: "auth" });
  expect(await branchAt("by-http")).toBe("");
  await publish(access("good"));
  expect(await branchAt("by-http")).toBe(commit);
  await job.remove();
});

/** Breaks off the answers to pushes, and nothing else. */
function breakAnswers(server: GitServer): void {
  const isPush = () => /^POST .*git-receive-pack$/.test(server.requests.at(-1)?.line ?? "");
  const cut = { kind: "cut", afterBytes: 0 } as const;
  Object.defineProperty(server, "fault", { get: () => (isPush() ? cut : undefined) });
}

test("what has arrived has arrived, though the connection broke before the answer", async () => {
  const { server, remote } = await served();
  const { job, commit } = await work();
  breakAnswers(server);
  expect(await job.publish({ remote, branch: "unanswered", commit })).toEqual({
    ...{ branch: "unanswered", commit },
  });
  expect(await branchAt("unanswered")).toBe(commit);
  await job.remove();
});

test("a remote that fails, or is not there, is told as it is, and later it works", async () => {
  const { server, remote } = await served();
  const { job, commit } = await work();
  for (const [status, code] of [
    [500, "network"],
    [403, "auth"],
    [404, "not-found"],
  ] as const) {
    server.fault = { kind: "status", status };
    await expect(job.publish({ remote, branch: "late", commit })).rejects.toMatchObject({ code });
  }
  server.fault = { kind: "stall" };
  const access = { timeoutMs: 300 };
  const stalled = job.publish({ remote, branch: "late", commit, access });
  await expect(stalled).rejects.toMatchObject({ code: "timeout" });
  server.fault = undefined;
  await job.publish({ remote, branch: "late", commit });
  expect(await branchAt("late")).toBe(commit);
  await job.remove();
});

test("to a fork, which lacks what the repository has got since", async () => {
  const fork = await makeRepository(join(scene.root, "remotes"), "fork", { files: 1 });
  const { job, commit } = await work();
  const remote = parseRemoteUrl(fork, { allowLocal: true });
  await job.publish({ remote, branch: "pull", commit });
  expect(await plainGit(["--git-dir", fork, "rev-parse", "refs/heads/pull"])).toBe(commit);
  expect(await plainGit(["--git-dir", fork, "fsck", "--strict", "--no-dangling"])).toBe("");
  await job.remove();
});

test("a name that is no branch, and a commit that nobody recorded, are refused", async () => {
  const { job, commit } = await work();
  for (const branch of ["", "-f", "refs/heads/x", "a..b", "HEAD", "x:y"]) {
    const publishing = job.publish({ branch, commit });
    await expect(publishing).rejects.toMatchObject({ code: "invalid-request" });
  }
  const unknown = job.publish({ branch: "unknown", commit: commitId("9".repeat(40)) });
  await expect(unknown).rejects.toMatchObject({ code: "invalid-request" });
  expect(await branchAt("unknown")).toBe("");
  await job.remove();
});

test("it goes where the mirror came from, also when that was by HTTP", async () => {
  const { remote } = await served();
  const mirror = await scene.git.mirrors.fetch(remote, USUAL_REFS);
  const plan = { name: "http", owner: { owner: "local" } };
  const job = await scene.git.workspaces.createAt(mirror, scene.commits[1] ?? expect.fail(), plan);
  onTestFinished(() => job.remove());
  await shell(job, "echo from http > http");
  const { commit } = await job.result();
  await job.publish({ branch: "from-http", commit, expected: "none" });
  expect(await branchAt("from-http")).toBe(commit);
});
