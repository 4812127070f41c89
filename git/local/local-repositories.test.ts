// A developer's own checkout: asked, snapshotted, integrated and published into, without disturbing its owner.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { appendFile, chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { isRoot } from "../../test/support/workspace-scene.ts";
import { giveTree, worktreeScene } from "../../test/support/worktree-scene.ts";
import { openGit } from "../open-git.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";

const FILE = "src/d0/e0/file-1.txt";

async function prepare() {
  const { root, repository: checkout, commonDir, head } = await worktreeScene();
  const git = await openGit({ data: join(root, "data"), onReport: () => {} });
  onTestFinished(() => git.close());
  const here = (...args: string[]) => plainGit(args, checkout);
  const write = async (path: string, text: string) => {
    await mkdir(join(checkout, path, ".."), { recursive: true });
    await writeFile(join(checkout, path), text);
  };
  /** On a branch of its own, without touching what is checked out. */
  const commitOn = async (parent: string, path: string, text: string): Promise<CommitId> => {
    const index = join(
      root,
      `index-${createHash("sha256")
        .update(path + text + parent)
        .digest("hex")
        .slice(0, 8)}`,
    );
    const place = join(root, "elsewhere", index.slice(-8));
    await here("worktree", "add", "--quiet", "--detach", place, parent);
    await mkdir(join(place, path, ".."), { recursive: true });
    await writeFile(join(place, path), text);
    await plainGit(["add", "--all"], place);
    await plainGit(["commit", "--quiet", "-m", `change ${path}`], place);
    const made = commitId(await plainGit(["rev-parse", "HEAD"], place));
    await here("worktree", "remove", "--force", place);
    return made;
  };
  return {
    root,
    checkout,
    commonDir,
    head: commitId(head),
    git,
    local: git.local,
    here,
    write,
    commitOn,
  };
}

/** Everything of a checkout that a developer could notice. */
async function stateOf(checkout: string) {
  const index = readFileSync(join(checkout, ".git/index"));
  const { mtimeMs } = lstatSync(join(checkout, ".git/index"));
  const refs = await plainGit(["for-each-ref", "refs/heads"], checkout);
  const head = readFileSync(join(checkout, ".git/HEAD"), "utf8");
  return { index: createHash("sha256").update(index).digest("hex"), mtimeMs, refs, head };
}

test("it tells commit, branch and whether something is not committed, and touches nothing", async () => {
  const { checkout, local, head, here, write } = await prepare();
  const before = await stateOf(checkout);
  const clean = { commit: head, isDirty: false, branch: "main" };
  expect(await local.resolve({ checkout })).toEqual(clean);
  expect(await local.resolve({ checkout: join(checkout, "src"), ref: "main" })).toEqual(clean);
  await write(".git/info/exclude", "*.log\n");
  await write("ignored.log", "x");
  expect(await local.resolve({ checkout })).toEqual(clean);
  await write("new", "x");
  expect(await local.resolve({ checkout })).toMatchObject({ isDirty: true });
  rmSync(join(checkout, "new"));
  await appendFile(join(checkout, FILE), "more\n");
  expect(await local.resolve({ checkout, ref: "HEAD" })).toMatchObject({
    commit: head,
    isDirty: true,
  });
  expect(await stateOf(checkout)).toEqual(before);
  const parent = await here("rev-parse", "HEAD~1");
  expect(await local.resolve({ checkout, ref: parent })).toMatchObject({ commit: parent });
  for (const ref of ["missing", "HEAD~1", "a..b", "-x", "@{u}"]) {
    await expect(local.resolve({ checkout, ref })).rejects.toMatchObject({ name: "WorktreeError" });
  }
  await expect(local.resolve({ checkout: "/nonexistent" })).rejects.toMatchObject({
    code: "not-a-repository",
  });
});

test("a snapshot has what is there now, committed or not, and leaves index, branch and files alone", async () => {
  const { checkout, local, head, here, write } = await prepare();
  expect(await local.snapshot({ checkout })).toBe(head);
  await write(".gitignore", "*.log\n");
  await write("x.log", "ignored");
  await write("new/file", "untracked\n");
  await write("staged", "staged\n");
  await write("mine", "ignored by me");
  await here("add", "staged");
  await appendFile(join(checkout, "staged"), "and more\n");
  await appendFile(join(checkout, FILE), "changed\n");
  rmSync(join(checkout, "src/d0/e0/file-2.txt"));
  await chmod(join(checkout, "src/d0/e0/file-3.txt"), 0o755);
  symlinkSync("/etc/passwd", join(checkout, "link"));
  const excludesFile = join(checkout, "../excludes");
  await writeFile(excludesFile, "mine\n");
  await chmod(excludesFile, 0o644);
  const before = {
    ...(await stateOf(checkout)),
    status: await here("--no-optional-locks", "status", "--porcelain"),
  };
  const commit = await local.snapshot({
    checkout: join(checkout, "src"),
    excludesFile,
    ref: "refs/croft/runs/r/dirty",
  });
  expect({
    ...(await stateOf(checkout)),
    status: await here("--no-optional-locks", "status", "--porcelain"),
  }).toEqual(before);
  expect(await here("rev-parse", `${commit}^`, "refs/croft/runs/r/dirty")).toBe(
    `${head}\n${commit}`,
  );
  expect(await here("diff-tree", "-r", "--name-status", head, commit)).toBe(
    [
      "A\t.gitignore",
      "A\tlink",
      "A\tnew/file",
      "M\tsrc/d0/e0/file-1.txt",
      "D\tsrc/d0/e0/file-2.txt",
      "M\tsrc/d0/e0/file-3.txt",
      "A\tstaged",
    ].join("\n"),
  );
  expect(await here("show", `${commit}:staged`)).toBe("staged\nand more");
  expect(await here("cat-file", "-p", `${commit}:link`)).toBe("/etc/passwd");
});

test("hooks do not run, and the repository's own filters do, as its owner", async () => {
  const { checkout, local, here, write, root } = await prepare();
  const mark = join(root, "ran");
  for (const name of ["pre-commit", "post-index-change", "reference-transaction", "post-commit"]) {
    await write(`.git/hooks/${name}`, `#!/bin/sh\ntouch '${mark}'\n`);
    await chmod(join(checkout, ".git/hooks", name), 0o755);
  }
  await here("config", "core.fsmonitor", `touch '${mark}'`);
  rmSync(mark, { force: true });
  await here("config", "filter.loud.clean", "tr a-z A-Z");
  await write(".gitattributes", "*.loud filter=loud\n");
  await write("a.loud", "quiet\n");
  const commit = await local.snapshot({ checkout, ref: "refs/croft/x" });
  expect(existsSync(mark)).toBe(false);
  expect(await plainGit(["-c", "core.fsmonitor=", "show", `${commit}:a.loud`], checkout)).toBe(
    "QUIET",
  );
});

test("a sparse checkout, one with a conflict, an unborn one and a bare one", async () => {
  const { checkout, local, here, head, root, commitOn } = await prepare();
  await here("sparse-checkout", "set", "nothing");
  expect(existsSync(join(checkout, FILE))).toBe(false);
  expect(await local.resolve({ checkout })).toMatchObject({ isDirty: false });
  expect(await local.snapshot({ checkout })).toBe(head);
  await here("sparse-checkout", "disable");
  const one = await commitOn(head, FILE, "one\n");
  const two = await commitOn(head, FILE, "two\n");
  await here("reset", "--quiet", "--hard", one);
  await here("merge", two).catch(() => "");
  const conflicted = await local.snapshot({ checkout });
  expect(await here("show", `${conflicted}:${FILE}`)).toContain("<<<<<<<");
  const unborn = join(root, "unborn");
  await plainGit(["init", "--quiet", unborn]);
  await expect(local.resolve({ checkout: unborn })).rejects.toMatchObject({ code: "no-commit" });
  await writeFile(join(unborn, "first"), "first\n");
  const first = await local.snapshot({ checkout: unborn });
  expect(await plainGit(["ls-tree", "--name-only", first], unborn)).toBe("first");
  const bare = join(root, "origin.git");
  expect(await local.resolve({ checkout: bare, ref: "main" })).toMatchObject({ isDirty: false });
  await expect(local.snapshot({ checkout: bare })).rejects.toMatchObject({
    code: "not-a-repository",
  });
});

test.runIf(isRoot)(
  "all of it as the owner of the repository, to whom everything new belongs",
  async () => {
    const { checkout, local, head, write, commitOn, here } = await prepare();
    await write("new", "x\n");
    const one = await commitOn(head, "one", "1\n");
    const two = await commitOn(head, "two", "2\n");
    giveTree(checkout, 65_534);
    const commit = await local.snapshot({ checkout, ref: "refs/croft/runs/r/dirty" });
    const commits = [one, two, commit].map((id, number) => ({ id: `c${number}`, commit: id }));
    const made = await local.integrate({
      checkout,
      base: head,
      commits,
      ref: "refs/croft/runs/r/merge",
    });
    await local.publish({ checkout, commit: made.commit, branch: "made" });
    expect(made.conflicts).toEqual([]);
    expect(await here("ls-tree", "--name-only", "made")).toContain("new\none\nsrc\ntwo");
    const foreign = readdirSync(checkout, { recursive: true, encoding: "utf8" }).filter(
      (name) => lstatSync(join(checkout, name)).uid !== 65_534,
    );
    expect(foreign).toEqual([]);
  },
);

test("integration tells what conflicts, runs none of the repository's programs and touches no branch", async () => {
  const { checkout, local, head, here, write, commitOn, root, git } = await prepare();
  const mark = join(root, "ran");
  await here("config", "merge.evil.driver", `touch '${mark}'`);
  await write(".git/info/attributes", "* merge=evil\n");
  const before = await stateOf(checkout);
  const commits = [
    { id: "one", commit: await commitOn(head, FILE, "one\n") },
    { id: "two", commit: await commitOn(head, FILE, "two\n") },
    { id: "three", commit: await commitOn(head, "three", "3\n") },
  ];
  const request = { checkout, base: head, commits, ref: "refs/croft/runs/r/merge" };
  const made = await local.integrate(request);
  expect(made).toMatchObject({
    integrated: ["one", "three"],
    conflicts: [{ id: "two", files: [FILE] }],
  });
  expect(await local.integrate(request)).toEqual(made);
  expect(existsSync(mark)).toBe(false);
  expect(await stateOf(checkout)).toEqual(before);
  expect(await local.readRunRefs({ checkout }, "r")).toEqual([
    { ref: "refs/croft/runs/r/merge", name: "merge", commit: made.commit },
  ]);
  expect(await local.removeRunRefs({ checkout }, "r")).toBe(1);
  expect(await here("for-each-ref", "refs/croft")).toBe("");
  const unknown = [{ id: "x", commit: commitId("3".repeat(40)) }];
  await expect(local.integrate({ ...request, commits: unknown })).rejects.toMatchObject({
    code: "no-commit",
  });
  expect(readdirSync(git.directories.staging)).toEqual([]);
  const file = await local.readFile({ checkout, commit: made.commit, path: "three" });
  expect(`${file}`).toBe("3\n");
});

test("a shallow clone is integrated too", async () => {
  const { root, git, commitOn, head, here } = await prepare();
  const one = await commitOn(head, "one", "1\n");
  const two = await commitOn(head, "two", "2\n");
  await here("branch", "one", one);
  await here("branch", "two", two);
  const checkout = join(root, "shallow");
  await plainGit([
    "clone",
    "--quiet",
    "--depth=2",
    "--no-single-branch",
    `file://${root}/checkout`,
    checkout,
  ]);
  const commits = [
    { id: "one", commit: one },
    { id: "two", commit: two },
  ];
  const made = await git.local.integrate({ checkout, base: head, commits, ref: "refs/croft/m" });
  expect(made.integrated).toEqual(["one", "two"]);
});
