// The life of a workspace, the same on every kind of machine: create, run, commit, diff, result, keep, remove.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { sleepers, uniqueSleep } from "../../test/support/sleepers.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { MACHINES, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import type { Workspace } from "./workspace.ts";
import { isWorkspaceId } from "./workspace-id.ts";

const scene = shareWorkspaces();

/** In the results of an owner, as they lie on the disk. */
function inResults(workspace: Workspace, args: readonly string[]): Promise<string> {
  const owner = readdirSync(scene.git.directories.results).find((name) => name.endsWith("-local"));
  const home = join(scene.git.directories.results, owner ?? "");
  const repository = readdirSync(home).find((name) => name.endsWith(".git"));
  expect(existsSync(workspace.path)).toBe(true); // results are looked at while it is there
  return plainGit(["--git-dir", join(home, repository ?? ""), ...args]);
}

describe.each(MACHINES)("$name", (machine) => {
  test("it stands at its commit, clean, on its branch or none", async () => {
    for (const branch of ["fix", "a/b/c", undefined]) {
      const commit = scene.commits[branch === undefined ? 2 : 0] ?? scene.commits[0];
      const workspace = await scene.create(machine, { name: "Fix it!", branch }, commit);
      expect(workspace).toMatchObject({ kind: machine.kind, branch, base: commit });
      expect(workspace.isSandboxed).toBe(machine.hasSandbox);
      expect(isWorkspaceId(workspace.id) && workspace.id.startsWith("fix-it-")).toBe(true);
      const script =
        "git rev-parse HEAD; git branch --show-current; git status --porcelain; git fsck";
      expect(await shell(workspace, script)).toBe(`${commit}\n${branch ?? ""}`.trimEnd());
      expect(await shell(workspace, "git rev-parse origin/main")).toBe(scene.commits[0]);
      await workspace.remove();
      expect(existsSync(workspace.path)).toBe(false);
    }
  });

  test("commits carry the identity it was given, made by the job or by us", async () => {
    const identity = { name: 'Ann "B" O\'C', email: "ann@example.org" };
    const workspace = await scene.create(machine, { identity, branch: "b" });
    await shell(workspace, "echo one > one; git add one; git commit -qm one; echo two > two");
    const commit = await workspace.commit("two\n\n# not a comment\n");
    expect(await shell(workspace, "git log -2 --format='%an <%ae> %cn <%ce>'")).toBe(
      [1, 2]
        .map(() => `${identity.name} <ann@example.org> ${identity.name} <ann@example.org>`)
        .join("\n"),
    );
    expect(await shell(workspace, "git log -1 --format=%B b")).toBe("two\n\n# not a comment");
    expect(await shell(workspace, "git rev-parse b")).toBe(commit);
    expect(await workspace.commit("nothing")).toBeUndefined();
    const { commit: result } = await workspace.result();
    expect(result).toBe(commit); // what is committed already is the result
    expect(await inResults(workspace, ["log", "-1", "--format=%an %ae", result])).toBe(
      `${identity.name} ann@example.org`,
    );
    await workspace.remove();
  });

  test("the difference shows what is new, binary, changed and gone, and can be applied", async () => {
    const workspace = await scene.create(machine);
    expect(await workspace.diff()).toBe("");
    await shell(
      workspace,
      `printf 'a\\0b' > new.bin; echo text > 'new text'; git rm -q empty; rm binary.bin
       echo more >> crlf.txt; chmod +x src/d0/e0/file-1.txt; git commit -qam half; echo '*.o' > .gitignore; touch x.o`,
    );
    const diff = await workspace.diff();
    for (const part of ["GIT binary patch", "new text", "deleted file mode", "new mode 100755"]) {
      expect(diff).toContain(part);
    }
    expect(diff).not.toContain("x.o");
    const other = await scene.create(machine);
    const applied = await other.run(["git", "apply", "--index", "-"], { input: diff });
    expect(applied.exitCode).toBe(0);
    const trees = await Promise.all([workspace.result(), other.result()]);
    const [one, two] = trees.map(({ commit }) => inResults(workspace, ["rev-parse", `${commit}:`]));
    expect(await one).toBe(await two);
    await Promise.all([workspace.remove(), other.remove()]);
  });

  test("the result has what is committed, staged, changed and new, without what is ignored", async () => {
    const workspace = await scene.create(machine, { branch: "work" });
    await shell(
      workspace,
      `echo ignored.txt > .gitignore; echo 1 > committed; git add -A; git commit -qm one
       echo 2 > staged; git add staged; echo 3 > untracked; echo 4 > ignored.txt; rm empty
       mkdir -p deep/er; ln -s ../../committed deep/er/link; git status --porcelain > /dev/null`,
    );
    const before = await shell(workspace, "git status --porcelain; git rev-parse HEAD");
    const { commit, base, ref } = await workspace.result({ message: "the message" });
    expect([base, ref]).toEqual([scene.commits[0], `refs/croft/workspaces/${workspace.id}`]);
    expect(await inResults(workspace, ["rev-parse", ref])).toBe(commit);
    expect(await inResults(workspace, ["log", "--format=%s", `${base}..${commit}`])).toBe(
      "the message\none",
    );
    const changed = await inResults(workspace, ["diff", "--name-status", base, commit]);
    expect(changed.split("\n").sort()).toEqual(
      [
        "A\t.gitignore",
        "A\tcommitted",
        "A\tdeep/er/link",
        "A\tstaged",
        "A\tuntracked",
        "D\tempty",
      ].sort(),
    );
    expect(await inResults(workspace, ["fsck", "--strict", "--no-dangling"])).toBe("");
    expect(await shell(workspace, "git status --porcelain; git rev-parse HEAD")).toBe(before);
    await workspace.remove();
  });

  test("where nothing changed the result is the base, and nothing is kept", async () => {
    const workspace = await scene.create(machine);
    expect(await workspace.result()).toMatchObject({ commit: scene.commits[0] });
    await shell(workspace, "git reset -q --hard HEAD~1"); // gone back, but made nothing
    expect(await workspace.keep()).toBeUndefined();
    await workspace.remove();
  });

  test("what a failed job left can be fetched from the bundle after it is gone", async () => {
    const workspace = await scene.create(machine);
    await shell(workspace, "echo precious > precious; touch .git/index.lock"); // it was killed in the middle
    const bundle = (await workspace.keep()) ?? "none";
    const ref = `refs/croft/kept/${workspace.id}`;
    expect(await inResults(workspace, ["for-each-ref", ref])).toBe("");
    await workspace.remove();
    const clone = join(scene.root, `clone-${workspace.id}`);
    await plainGit(["clone", "--quiet", scene.origin, clone]);
    await plainGit(["fetch", "--quiet", bundle, ref], clone);
    expect(await plainGit(["show", "FETCH_HEAD:precious"], clone)).toBe("precious");
  });

  test("several may look at it at once, and an old file may come back", async () => {
    const workspace = await scene.create(machine);
    // Bitmaps know all of the history: a pack made with them lacks what comes back from it.
    await shell(
      workspace,
      "git repack -adbq; git checkout -q HEAD~2 -- .; git commit -qm back; touch new",
    );
    const looks = [workspace.result(), workspace.diff(), workspace.result(), workspace.diff()];
    const [one, , two] = await Promise.all(looks);
    expect([one, two]).toEqual([expect.anything(), expect.anything()]);
    await workspace.remove();
  });

  test("an edit in the very second of the checkout, of the same size and time, is in the result", async () => {
    await waitUntil("the beginning of a second", () => Date.now() % 1000 < 100);
    const workspace = await scene.create(machine);
    const file = "src/d0/e0/file-1.txt";
    await shell(
      workspace,
      `cp -p ${file} $TMPDIR/was; tr l L < $TMPDIR/was > ${file}; touch -r $TMPDIR/was ${file}`,
    );
    const editedAt = Math.floor(Date.now() / 1000);
    await waitUntil("the next second", () => Math.floor(Date.now() / 1000) > editedAt);
    expect(await workspace.diff()).toContain(file);
    await workspace.remove();
  });

  test("removed while a command runs, it ends that; twice does no more", async () => {
    const workspace = await scene.create(machine);
    const sleep = uniqueSleep();
    const running = workspace.run([
      "sh",
      "-c",
      `echo half > file; ${sleep.command} & ${sleep.command}`,
    ]);
    await waitUntil("the command", () => sleepers(sleep).length === 2);
    await Promise.all([workspace.remove(), workspace.remove()]);
    expect((await running).stopped).toBe("aborted");
    expect(sleepers(sleep)).toEqual([]);
    await workspace.remove();
    expect(existsSync(workspace.path)).toBe(false);
    await expect(workspace.run(["true"])).rejects.toThrow("is being removed");
    expect((await scene.git.ledger.list()).map(({ id }) => id)).not.toContain(workspace.id);
  });

  test("a branch name that git would not take is refused before anything is made", async () => {
    for (const branch of ["-x", "a..b", "refs/heads/x", "HEAD", "x.lock", "a b", "../../x", ""]) {
      const making = scene.create(machine, { branch });
      await expect(making).rejects.toMatchObject({ code: "invalid-request" });
    }
  });
});
