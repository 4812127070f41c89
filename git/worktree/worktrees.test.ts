// A linked worktree in the developer's repository: made, used, removed, and everything of the developer's left alone.
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { ORDINARY_UID } from "../../test/support/ordinary-user.ts";
import {
  giveTree,
  leftovers,
  OWNER,
  openWorktrees,
  worktreeScene,
} from "../../test/support/worktree-scene.ts";
import { LockTimeout, RepositoryLocks } from "../lock/repository-lock.ts";

const commitIn = (path: string) =>
  git(["commit", "--quiet", "--allow-empty", "--message=more"], path);
const tipOf = (repository: string, branch: string) =>
  git(["rev-parse", `refs/heads/${branch}`], repository);

describe("the usual life", () => {
  test("a new branch is checked out, committed to, seen in the repository, and stays", async () => {
    const { worktrees, repository, commonDir, head, directories, ledger } = await worktreeScene();
    const request = { repository, name: "Fix it!", branch: "fix/one", owner: OWNER };
    const made = await worktrees.create(request);
    expect(made).toMatchObject({ branch: "fix/one", commit: head, commonDir });
    expect(made.id).toMatch(/^fix-it-[0-9a-f]{8}$/);
    expect(made.path).toBe(join(directories.workspaces, made.id));
    expect(await ledger.list()).toEqual([made.entry]);
    expect(made.entry).toMatchObject({ kind: "worktree", repository: commonDir, ...OWNER });
    expect(await git(["status", "--porcelain", "--branch"], made.path)).toBe("## fix/one");
    expect(await readFile(join(made.path, "src/d0/e0/file-1.txt"), "utf8")).toContain("file 1\n");
    const list = await git(["worktree", "list", "--porcelain"], repository);
    expect(list).toContain(`worktree ${made.path}\nHEAD ${head}\nbranch refs/heads/fix/one`);
    expect(list).toContain(`locked croft ${made.id}`);

    await commitIn(made.path);
    const tip = await tipOf(repository, "fix/one");
    expect(tip).not.toBe(head);
    expect(await worktrees.remove(made.entry)).toEqual({
      entry: made.entry,
      isGone: true,
      kept: [],
    });
    expect(leftovers(commonDir, directories)).toEqual([]);
    expect(await tipOf(repository, "fix/one")).toBe(tip);
    expect(await git(["config", "--local", "--list"], repository)).not.toContain("branch.fix");

    await worktrees.remove(made.entry); // again: nothing to do
    const again = await worktrees.create(request);
    expect(again.commit).toBe(tip);
    await worktrees.remove(again.entry);
    expect(await git(["fsck", "--strict", "--no-dangling"], repository)).toBe("");
  });

  test("a repository may have any name, a line break in it too", async () => {
    const { worktrees, repository, root, directories } = await worktreeScene();
    const odd = join(root, "a b\nc 'd'");
    await rename(repository, odd);
    const made = await worktrees.create({ repository: odd, name: "odd", owner: OWNER });
    expect(await git(["status", "--porcelain"], made.path)).toBe("");
    expect(await worktrees.remove(made.entry)).toMatchObject({ isGone: true, kept: [] });
    expect(leftovers(join(odd, ".git"), directories)).toEqual([]);
  });

  test("without a branch HEAD is detached at the base", async () => {
    const { worktrees, repository, commonDir, directories } = await worktreeScene();
    const base = await git(["rev-parse", "HEAD~1"], repository);
    const made = await worktrees.create({ repository, name: "look", base, owner: OWNER });
    expect(made).toMatchObject({ branch: undefined, commit: base });
    expect(await git(["rev-parse", "HEAD"], made.path)).toBe(base);
    expect(await git(["status", "--porcelain", "--branch"], made.path)).toBe("## HEAD (no branch)");
    await worktrees.remove(made.entry);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });

  test("uncommitted work does not hinder the removal", async () => {
    const { worktrees, repository, commonDir, directories } = await worktreeScene();
    const made = await worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
    await writeFile(join(made.path, "untracked"), "x");
    await rm(join(made.path, ".git"));
    await worktrees.remove(made.entry);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });
});

describe("branches", () => {
  test("one that is checked out, here or by somebody else, is refused with the place", async () => {
    const { worktrees, root, repository, commonDir, directories } = await worktreeScene();
    const create = (branch: string) =>
      worktrees.create({ repository, name: "w", branch, owner: OWNER });
    const mine = await create("mine");
    await git(["worktree", "add", "--quiet", "-b", "theirs", join(root, "theirs")], repository);
    await git(["checkout", "--quiet", "-b", "bisected"], repository);
    for (const [branch, path] of [
      ["mine", mine.path],
      ["theirs", join(root, "theirs")],
      ["bisected", repository],
    ] as const) {
      const refusal = { code: "branch-in-use", details: { branch, path } };
      await expect(create(branch)).rejects.toMatchObject(refusal);
    }
    await git(["bisect", "start", "HEAD", "HEAD~1"], repository);
    await git(["checkout", "--quiet", "--detach"], repository);
    await expect(create("bisected")).rejects.toMatchObject({ code: "branch-in-use" });
    await worktrees.remove(mine.entry);
    await git(["worktree", "remove", join(root, "theirs")], repository);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });

  test("an idle one is used where it stands, but not if another base is asked for", async () => {
    const { worktrees, repository, commonDir, directories, head } = await worktreeScene();
    await git(["branch", "idle", "HEAD~1"], repository);
    await git(["tag", "idle", "HEAD"], repository); // of the same name: the branch is meant
    const idle = await tipOf(repository, "idle");
    const create = (base?: string) =>
      worktrees.create({ repository, name: "w", branch: "idle", base, owner: OWNER });
    await expect(create("main")).rejects.toMatchObject({ code: "branch-exists" });
    expect(leftovers(commonDir, directories)).toEqual([]);
    for (const base of [undefined, idle]) {
      const made = await create(base);
      expect(made.commit).toBe(idle);
      expect(await git(["status", "--porcelain", "--branch"], made.path)).toBe("## idle");
      await worktrees.remove(made.entry);
    }
    expect(await tipOf(repository, "idle")).toBe(idle);
    expect(idle).not.toBe(head);
  });

  test("one whose name lies below or above another's is refused", async () => {
    const { worktrees, repository, commonDir, directories } = await worktreeScene();
    await git(["branch", "a/b"], repository);
    for (const branch of ["a", "a/b/c"]) {
      const creating = worktrees.create({ repository, name: "w", branch, owner: OWNER });
      await expect(creating).rejects.toMatchObject({ code: "branch-exists" });
    }
    expect(leftovers(commonDir, directories)).toEqual([]);
  });

  test("hostile and impossible names are refused before anything is made", async () => {
    const { worktrees, repository, commonDir, directories } = await worktreeScene();
    const branches = ["-b", "--force", "", "HEAD", "refs/heads/x", "a..b", "a b", "@", "a.lock"];
    branches.push(
      "x\ny",
      "../../etc",
      "a/./b",
      "x~1",
      "x".repeat(300),
      "\u0000",
      "a\\b",
      ".hidden",
    );
    for (const branch of branches) {
      const creating = worktrees.create({ repository, name: "w", branch, owner: OWNER });
      await expect(creating).rejects.toMatchObject({ code: "invalid-name" });
    }
    for (const base of ["--all", "HEAD~1", "main:file", "@{-1}", ":/fix", "^main", ""]) {
      const creating = worktrees.create({ repository, name: "w", base, owner: OWNER });
      await expect(creating).rejects.toMatchObject({ code: "invalid-name" });
    }
    const unknown = worktrees.create({ repository, name: "w", base: "a".repeat(40), owner: OWNER });
    await expect(unknown).rejects.toMatchObject({ code: "no-commit" });
    expect(leftovers(commonDir, directories)).toEqual([]);
    expect(existsSync(join(commonDir, "croft.lock"))).toBe(false);
  });

  test("odd names that git knows are taken", async () => {
    const { worktrees, repository, commonDir, directories } = await worktreeScene();
    for (const branch of ["日本語", "a'b\"c", "$(touch)", "a;b&c|d", "0".repeat(40), "x!"]) {
      const made = await worktrees.create({ repository, name: "../..", branch, owner: OWNER });
      expect(await git(["symbolic-ref", "HEAD"], made.path)).toBe(`refs/heads/${branch}`);
      await worktrees.remove(made.entry);
    }
    expect(leftovers(commonDir, directories)).toEqual([]);
  });
});

describe("repositories", () => {
  test("any path leads to the same repository and the same lock", async () => {
    const { worktrees, root, repository, commonDir, directories } = await worktreeScene();
    const linked = await worktrees.create({ repository, name: "first", owner: OWNER });
    await git(["config", "core.logAllRefUpdates", "false"], repository);
    await commitIn(linked.path);
    await symlink(repository, join(root, "link"));
    const paths = [
      linked.path,
      join(root, "link"),
      relative(process.cwd(), repository),
      join(repository, "src/d0"),
      join(repository, "src/d0/e0/file-1.txt"),
      commonDir,
    ];
    for (const path of paths) {
      const made = await worktrees.create({ repository: path, name: "w", owner: OWNER });
      expect(made.commonDir).toBe(commonDir);
      expect(made.commit).toBe(
        await git(["rev-parse", "HEAD"], path === linked.path ? path : repository),
      );
      await worktrees.remove(made.entry);
    }
    const locks = new RepositoryLocks(join(root, "other-locks"));
    await locks.holdForeign(commonDir, { purpose: "elsewhere" }, async () => {
      for (const path of paths) {
        const request = { repository: path, name: "w", owner: OWNER, lockTimeoutMs: 20 };
        await expect(worktrees.create(request)).rejects.toBeInstanceOf(LockTimeout);
      }
    });
    await worktrees.remove(linked.entry);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });

  test("a bare one serves too", async () => {
    const { worktrees, origin, directories } = await worktreeScene();
    const made = await worktrees.create({
      repository: origin,
      name: "w",
      branch: "main",
      owner: OWNER,
    });
    expect(made).toMatchObject({ commonDir: origin, branch: "main" });
    expect(await git(["status", "--porcelain", "--branch"], made.path)).toBe("## main");
    await worktrees.remove(made.entry);
    expect(leftovers(origin, directories)).toEqual([]);
  });

  test("one without a commit, and a place without a repository, are told apart", async () => {
    const { worktrees, root, directories } = await worktreeScene();
    const empty = join(root, "empty");
    await git(["init", "--quiet", empty]);
    const create = (repository: string, branch?: string) =>
      worktrees.create({ repository, name: "w", branch, owner: OWNER });
    await expect(create(empty)).rejects.toMatchObject({ code: "no-commit" });
    await expect(create(empty, "new")).rejects.toMatchObject({ code: "no-commit" });
    await expect(create(root)).rejects.toMatchObject({ code: "not-a-repository" });
    await expect(create(join(root, "nowhere"))).rejects.toMatchObject({ code: "not-a-repository" });
    expect(leftovers(join(empty, ".git"), directories)).toEqual([]);
  });

  test("its hooks do not run", async () => {
    const { worktrees, root, repository, commonDir } = await worktreeScene();
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      await writeFile(join(commonDir, "hooks", hook), `#!/bin/sh\ntouch '${root}/ran'\n`);
      await chmod(join(commonDir, "hooks", hook), 0o755);
    }
    const made = await worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
    await worktrees.remove(made.entry);
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test.runIf(process.geteuid?.() === 0)(
    "of another user, root leaves nothing of root's in it",
    async () => {
      const { worktrees, root, repository, commonDir, directories } = await worktreeScene();
      giveTree(repository, ORDINARY_UID);
      await symlink("/etc/hostname", join(repository, "README")); // a link of the user's is not followed
      const made = await worktrees.create({ repository, name: "w", branch: "x/y", owner: OWNER });
      expect(lstatSync(join(made.path, "src")).uid).toBe(ORDINARY_UID);
      expect(lstatSync(made.path).mode & 0o777).toBe(0o700);
      expect(foreignTo(repository, ORDINARY_UID)).toEqual([]);
      await worktrees.remove(made.entry);
      expect(foreignTo(repository, ORDINARY_UID)).toEqual([]);
      expect(leftovers(commonDir, directories)).toEqual([]);

      // Somebody else's repository around a directory of root's is not used by mistake.
      const inside = join(repository, "roots-own");
      await mkdir(inside);
      const creating = worktrees.create({ repository: inside, name: "w", owner: OWNER });
      await expect(creating).rejects.toMatchObject({ code: "unsafe-repository" });
      expect(existsSync(join(root, "data/workspaces", made.id))).toBe(false);
    },
  );
});

describe("what is not ours", () => {
  test("a developer's worktree survives, even when its directory is away", async () => {
    const { worktrees, root, repository, commonDir } = await worktreeScene();
    await git(["worktree", "add", "--quiet", "-b", "away", join(root, "away")], repository);
    await rename(join(root, "away"), join(root, "moved"));
    const made = await worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
    await worktrees.remove(made.entry);
    await worktrees.removeStale(commonDir);
    expect(readdirSync(join(commonDir, "worktrees"))).toEqual(["away"]);
    const creating = worktrees.create({ repository, name: "w", branch: "away", owner: OWNER });
    await expect(creating).rejects.toThrow(/'away' is checked out at '.*away', which is gone/);
  });

  test("a worktree that the developer has moved or locked is kept, and said", async () => {
    const { worktrees, root, repository, commonDir, directories, ledger } = await worktreeScene();
    const create = (branch: string) =>
      worktrees.create({ repository, name: "w", branch, owner: OWNER });
    const [moved, locked] = [await create("moved"), await create("locked")];
    const there = join(root, "there");
    await git(["worktree", "move", "--force", "--force", moved.path, there], repository);
    const removal = await worktrees.remove(moved.entry);
    expect(removal).toMatchObject({
      isGone: true,
      kept: [{ why: expect.stringContaining(there) }],
    });
    expect(await git(["status", "--porcelain", "--branch"], there)).toBe("## moved");

    await git(["worktree", "unlock", locked.path], repository);
    await git(["worktree", "lock", locked.path], repository);
    const refusal = await worktrees.remove(locked.entry);
    expect(refusal).toMatchObject({
      isGone: false,
      kept: [{ why: expect.stringContaining("locked") }],
    });
    expect(await ledger.list()).toEqual([locked.entry]);
    await git(["worktree", "unlock", locked.path], repository);
    expect(await worktrees.remove(locked.entry)).toMatchObject({ isGone: true });
    await git(["worktree", "remove", "--force", "--force", there], repository);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });

  test("two data directories leave each other's worktrees alone, dead or alive", async () => {
    const { worktrees, root, repository, commonDir } = await worktreeScene();
    const other = await openWorktrees(join(root, "other-data"));
    const theirs = await other.worktrees.create({
      repository,
      name: "w",
      branch: "b",
      owner: OWNER,
    });
    await other.ledger.remove(theirs.id);
    await other.ledger.add({ ...theirs.entry, process: { pid: 1, start: "0" } }); // as if its process had died
    const creating = worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
    await expect(creating).rejects.toMatchObject({ code: "branch-in-use" });
    expect(await worktrees.removeStale(commonDir)).toEqual([]);
    expect(existsSync(theirs.path)).toBe(true);
    expect(await other.worktrees.removeStale(commonDir)).toMatchObject([{ isGone: true }]);
    expect(leftovers(commonDir, other.directories)).toEqual([]);
  });

  test("a row that names another place is refused", async () => {
    const { worktrees, root, repository } = await worktreeScene();
    const made = await worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
    for (const path of [root, join(made.path, "src"), `${made.path}/../../${made.id}`]) {
      await expect(worktrees.remove({ ...made.entry, path })).rejects.toThrow("refusing to remove");
    }
    await worktrees.remove(made.entry);
  });
});

function foreignTo(path: string, uid: number): string[] {
  const below = readdirSync(path, { recursive: true, encoding: "utf8" });
  return below.filter((name) => name !== "README" && lstatSync(join(path, name)).uid !== uid);
}
