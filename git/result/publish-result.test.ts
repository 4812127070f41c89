// A recorded result is published without a workspace; what others have put on the branch is never lost.
import { expect, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { treeOf } from "../../test/support/import-commits.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { resultScene } from "../../test/support/result-scene.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";

async function prepare() {
  const scene = await resultScene();
  const base = { a: "a\n", b: "b\n" };
  const { base: from, commits } = await scene.record(treeOf(base), {
    one: [treeOf({ ...base, a: "one\n" })],
    two: [treeOf({ ...base, b: "two\n" })],
    clash: [treeOf({ ...base, a: "clash\n" })],
  });
  const [one, two, clash] = commits.map(({ commit }) => commit);
  if (one === undefined || two === undefined || clash === undefined) expect.fail();
  const inOrigin = (...args: string[]) => plainGit(["--git-dir", scene.origin, ...args]);
  return { ...scene, base: from, one, two, clash, inOrigin };
}

test("fast-forward only, unless told; forced only over what was there", async () => {
  const { git, holder, one, two, clash, inOrigin } = await prepare();
  const branch = "topic/x";
  expect(await git.results.publish({ ...holder, commit: one, branch })).toEqual({
    branch,
    commit: one,
  });
  expect(await git.results.publish({ ...holder, commit: one, branch })).toEqual({
    branch,
    commit: one,
  });
  const other = git.results.publish({ ...holder, commit: two, branch });
  await expect(other).rejects.toMatchObject({
    code: "conflict",
    message: `branch '${branch}' has moved: it is at ${one}`,
  });
  const wrong = git.results.publish({ ...holder, commit: two, branch, expected: clash });
  await expect(wrong).rejects.toMatchObject({ code: "conflict" });
  expect(await inOrigin("rev-parse", branch)).toBe(one);
  await git.results.publish({ ...holder, commit: two, branch, expected: one });
  await git.results.publish({ ...holder, commit: clash, branch, force: true });
  await git.results.publish({ ...holder, commit: clash, branch: "new", force: true });
  expect(await inOrigin("rev-parse", branch, "new")).toBe(`${clash}\n${clash}`);
});

test("whoever may no longer publish is refused at the last moment, and nothing has gone out", async () => {
  const { git, holder, one, inOrigin } = await prepare();
  const refusal = new Error("a newer one took its place");
  let isAllowed = true;
  const fence = async () => {
    if (!isAllowed) throw refusal;
  };
  await git.results.publish({ ...holder, commit: one, branch: "first", fence });
  isAllowed = false;
  const plan = { ...holder, commit: one, fence };
  await expect(git.results.publish({ ...plan, branch: "second" })).rejects.toBe(refusal);
  const forced = { ...plan, branch: "third", force: true };
  await expect(git.results.publish(forced)).rejects.toBe(refusal);
  expect(await inOrigin("branch", "--list", "first", "second", "third")).toBe("  first");
});

test("told to try again, it merges what the branch has got; several at once all arrive", async () => {
  const scene = await prepare();
  const { git, holder, one, two, clash, inOrigin } = scene;
  const branch = "main-line";
  await git.results.publish({ ...holder, commit: one, branch });
  const merged = await git.results.publish({ ...holder, commit: two, branch, onConflict: "retry" });
  expect(await inOrigin("rev-parse", branch)).toBe(merged.commit);
  expect(await inOrigin("log", "-1", "--format=%P", branch)).toBe(`${one} ${two}`);
  expect(await inOrigin("show", `${branch}:a`, `${branch}:b`)).toBe("one\ntwo");
  const clashing = git.results.publish({ ...holder, commit: clash, branch, onConflict: "retry" });
  await expect(clashing).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("(contents): a"),
  });
  expect(await inOrigin("rev-parse", branch)).toBe(merged.commit);

  const files = { a: "a\n" };
  const many = Array.from(
    { length: 6 },
    (_, number) => [`m${number}`, [treeOf({ ...files, [`f${number}`]: "x\n" })]] as const,
  );
  const { commits } = await scene.record(treeOf(files), Object.fromEntries(many));
  await Promise.all(
    commits.map(({ commit }) =>
      git.results.publish({ ...holder, commit, branch: "busy", onConflict: "retry" }),
    ),
  );
  for (const { commit } of commits) await inOrigin("merge-base", "--is-ancestor", commit, "busy");
  expect((await inOrigin("ls-tree", "--name-only", "busy")).split("\n")).toEqual([
    "a",
    "f0",
    "f1",
    "f2",
    "f3",
    "f4",
    "f5",
  ]);
});

test("a later attempt shuts this one out; another owner, a stranger and a bad name are refused", async () => {
  const { git, holder, base, one, clash, inOrigin } = await prepare();
  const branch = "fenced";
  const attempt = (number: number) => ({ jobId: "job", attempt: number });
  const workspace = await git.workspaces.create({
    ...{
      repository: holder.repository,
      name: "later",
      owner: { ...holder, ...attempt(2) },
      ref: base,
    },
  });
  await workspace.remove();
  const late = { ...holder, commit: one, branch, attempt: attempt(1) };
  await expect(git.results.publish(late)).rejects.toMatchObject({ code: "stale-attempt" });
  const integrating = { ...holder, base, commits: [], ref: "refs/croft/late", attempt: attempt(1) };
  await expect(git.results.integrate(integrating)).rejects.toMatchObject({ code: "stale-attempt" });
  const strange = { ...holder, owner: "app:9", commit: clash, branch };
  await expect(git.results.publish(strange)).rejects.toMatchObject({ code: "invalid-request" });
  for (const bad of ["", "-f", "refs/heads/x", "a..b", "x:y"]) {
    const publishing = git.results.publish({ ...holder, commit: one, branch: bad });
    await expect(publishing).rejects.toMatchObject({ code: "invalid-request" });
  }
  expect(await inOrigin("for-each-ref", "refs/heads/fenced")).toBe("");
  await git.results.publish({ ...holder, commit: one, branch, attempt: attempt(2) });
});

test("what a remote is asked is asked with the caller's own credential", async () => {
  const { git, root, inOrigin } = await prepare();
  await inOrigin("update-ref", "refs/heads/odd", await inOrigin("rev-parse", "main"));
  const server = await startGitServer(`${root}/remotes`);
  const repository = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  server.tokens = new Set(["good"]);
  const access = { tokens: staticToken({ username: "x", password: "good" }) };
  const commit = await git.remotes.resolve({ repository, ref: "main", access });
  expect(commit).toBe(await inOrigin("rev-parse", "main"));
  const path = "src/d0/e0/file-1.txt";
  const file = await git.remotes.readFile({ repository, access, commit, path });
  expect(`${file}`.trimEnd()).toBe(await inOrigin("show", `main:${path}`));
  for (const missing of [
    "nowhere",
    "src",
    "src/",
    "../x",
    "/etc/passwd",
    ":(top)src",
    "src/*",
    "",
    "-x",
  ]) {
    expect(
      await git.remotes.readFile({ repository, access, commit, path: missing }),
    ).toBeUndefined();
  }
  const large = git.remotes.readFile({ repository, access, commit, path, maxBytes: 10 });
  await expect(large).rejects.toMatchObject({ code: "too-large" });
  const bad = { tokens: staticToken({ username: "x", password: "bad" }) };
  for (const credential of [bad, {}]) {
    const reading = git.remotes.readFile({ repository, commit, path, access: credential });
    await expect(reading).rejects.toMatchObject({ code: "auth" });
    await expect(git.remotes.resolve({ repository, access: credential })).rejects.toMatchObject({
      code: "auth",
    });
  }
  await expect(git.remotes.resolve({ repository, access, ref: "missing" })).rejects.toMatchObject({
    code: "invalid-ref",
  });
});
