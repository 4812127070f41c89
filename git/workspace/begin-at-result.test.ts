// A workspace can begin where an earlier one of the same owner ended, and has nothing else of the owner's results.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { git as plainGit } from "../../test/support/make-repository.ts";
import {
  type Machine,
  SANDBOXED,
  shareWorkspaces,
  shell,
} from "../../test/support/workspace-scene.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { commitId } from "../remote/commit-id.ts";
import { ResultRepository } from "../result/result-repository.ts";
import type { ResultStart, WorkspaceRequest } from "./workspace-request.ts";

const scene = shareWorkspaces({ files: 30, commits: 2, odd: true });

async function begin(machine: Machine, from: ResultStart, more: Partial<WorkspaceRequest> = {}) {
  const { workspaces } = await scene.on(machine);
  const workspace = await workspaces.create({
    ...{ repository: scene.remote, name: "next", owner: { owner: "local" }, kind: machine.kind },
    ...{ from, ...more },
  });
  onTestFinished(() => workspace.remove()); // does nothing more, unless the test has failed
  return workspace;
}

/** A result of one workspace. */
async function resultOf(machine: Machine, script: string, owner = "local") {
  const first = await scene.create(machine, { owner: { owner } });
  await shell(first, script);
  const { commit, base } = await first.result();
  await first.remove();
  return { commit, base };
}

const CHANGE = `echo changed >> src/d0/e0/file-1.txt; rm src/d0/e0/file-2.txt; mkdir -p new/deep; echo new > new/deep/file
  chmod +x src/d0/e0/file-3.txt; ln -s ../new new/link; rm -rf 'with space.txt'; mkdir 'with space.txt'; echo x > 'with space.txt/x'
  rm empty; ln -s nowhere empty; printf 'a\\nb' > 'line
break'`;

describe.each(SANDBOXED)("$name", (machine) => {
  test("it has the files of the result, a clean status, and its own result stands on it", async () => {
    const first = await resultOf(machine, CHANGE);
    const next = await begin(machine, first, { branch: "topic" });
    expect(next).toMatchObject({ base: first.commit, kind: machine.kind });
    expect(await shell(next, "git status --porcelain --ignored; git rev-parse HEAD topic")).toBe(
      `${first.commit}\n${first.commit}`,
    );
    expect(
      await shell(
        next,
        "git fsck --strict --no-dangling 2>&1; git diff HEAD; git ls-files -m -d -o",
      ),
    ).toBe("");
    const made = await shell(
      next,
      "git write-tree; git rev-parse 'HEAD^{tree}'; cat new/deep/file; readlink empty; test -x src/d0/e0/file-3.txt",
    );
    const [index, tree, ...rest] = made.split("\n");
    expect(index).toBe(tree);
    expect(rest).toEqual(["new", "nowhere"]);
    await shell(next, "echo more > more");
    const second = await next.result();
    expect(second.base).toBe(first.commit);
    const third = await begin(machine, { commit: second.commit, base: first.base });
    expect(
      await shell(
        third,
        "cat more new/deep/file; git rev-list --count HEAD; git log -2 --format=%H",
      ),
    ).toBe(`more\nnew\n5\n${second.commit}\n${first.commit}`);
    expect(existsSync(join(third.path, ".git/objects/info/alternates"))).toBe(false);
    await Promise.all([next.remove(), third.remove()]);
    await scene.idle();
    expect(readdirSync(scene.git.directories.staging)).toEqual([]);
  });

  test("where nothing was changed, and where all was", async () => {
    const nothing = await resultOf(machine, "true");
    expect(nothing.commit).toBe(nothing.base);
    const same = await begin(machine, nothing);
    expect(await shell(same, "git status --porcelain; git rev-parse HEAD")).toBe(nothing.base);
    await same.remove();
    const all = await resultOf(
      machine,
      "git rm -rfq .; git clean -ffdxq; touch $(seq -f 'file-%g' 1 5200)",
    );
    const none = await begin(machine, all);
    expect(await shell(none, "git status --porcelain; ls -A | wc -l")).toBe("5201");
    await none.remove();
  });

  test("rules of how files are written take hold of files that are the same", async () => {
    const first = await resultOf(machine, "printf '*.txt text eol=crlf\\n' > .gitattributes");
    const next = await begin(machine, first);
    const seen = await shell(
      next,
      "git status --porcelain; tail -c 2 src/d0/e0/file-4.txt | od -c | head -1; ls binary.bin",
    );
    expect(seen).toContain("\\r  \\n");
    expect(seen).not.toContain("M crlf.txt");
    expect(seen).toMatch(/binary\.bin$/);
    await next.remove();
  });

  test("it may be sparse, and have its result published", async () => {
    const first = await resultOf(machine, "mkdir -p kept other; echo 1 > kept/a; echo 2 > other/a");
    const kind = machine.kind === "overlay" ? undefined : machine.kind;
    const next = await begin(machine, first, { sparse: ["kept"], kind });
    expect(await shell(next, "ls kept; test ! -e other; git status --porcelain")).toBe("a");
    const branch = `from/${machine.name}`;
    await next.publish({ branch, commit: first.commit });
    expect(await plainGit(["--git-dir", scene.origin, "rev-parse", branch])).toBe(first.commit);
    await next.remove();
  });

  test("hostile content is only content", async () => {
    const first = await resultOf(
      machine,
      `
      printf '* filter=evil diff=evil merge=evil\\n' > .gitattributes
      printf '[submodule "x"]\\n\\tpath = x\\n\\turl = https://example.org/x\\n' > .gitmodules
      ln -s /etc/passwd passwd; ln -s .git gitlink; mkdir hooks; printf '#!/bin/sh\\ntouch /tmp/ran\\n' > hooks/post-checkout; chmod +x hooks/*
      git config core.hooksPath "$PWD/hooks"; git config filter.evil.smudge 'touch /tmp/ran; cat'`,
    );
    const next = await begin(machine, first);
    expect(
      await shell(
        next,
        "git status --porcelain; git config core.hooksPath || echo none; ls -l passwd | cut -c1; ls /tmp/ran 2>&1 | tail -c 10",
      ),
    ).toMatch(/^none\nl\n/);
    await next.remove();
  });
});

const [machine] = SANDBOXED;
if (machine === undefined) throw new Error("no machine");

test("another owner's result, a commit of nobody's and one of the mirror alone are refused", async () => {
  const first = await resultOf(machine, "echo secret > secret", "app:victim");
  const { base } = first;
  const older = scene.commits[1] ?? expect.fail();
  for (const commit of [first.commit, commitId("7".repeat(40)), older]) {
    const fresh = { owner: { owner: "app:thief" } };
    await expect(begin(machine, { commit, base }, fresh)).rejects.toMatchObject({
      code: "invalid-request",
    });
  }
  const unknown = begin(
    machine,
    { commit: first.commit, base: commitId("8".repeat(40)) },
    { owner: { owner: "app:victim" } },
  );
  await expect(unknown).rejects.toMatchObject({ code: "invalid-ref" });
  await scene.idle();
  expect(readdirSync(scene.git.directories.staging)).toEqual([]);
});

test("it has nothing of the owner's other results", async () => {
  const secret = await resultOf(machine, "echo another run > other-run");
  const first = await resultOf(machine, "echo this run > this-run");
  const next = await begin(machine, first);
  const looked = await next.run(["git", "cat-file", "-e", secret.commit]);
  expect(looked.exitCode).not.toBe(0);
  await next.remove();
});

test("the branch may have been forced away since: the run goes on, if its credential still opens the repository", async () => {
  const first = await resultOf(machine, "echo kept > kept");
  await plainGit([
    "--git-dir",
    scene.origin,
    "update-ref",
    "refs/heads/main",
    scene.commits[2] ?? "",
  ]);
  await scene.git.mirrors.fetch(scene.remote, USUAL_REFS);
  const next = await begin(machine, first);
  expect(await shell(next, "cat kept")).toBe("kept");
  await next.remove();
  await plainGit(["--git-dir", scene.origin, "update-ref", "refs/heads/main", scene.commits[0]]);
});

test("twenty at once begin at one result", async () => {
  const first = await resultOf(machine, CHANGE);
  const many = await Promise.all(Array.from({ length: 20 }, () => begin(machine, first)));
  for (const one of many)
    expect(await shell(one, "cat new/deep/file; git status --porcelain")).toBe("new");
  await Promise.all(many.map((one) => one.remove()));
  const { directories, locks } = scene.git;
  const results = new ResultRepository({ directories, locks }, "local", scene.mirror);
  expect(await plainGit(["--git-dir", results.gitDir, "fsck", "--no-dangling"])).toBe("");
});
