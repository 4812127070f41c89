// A job may do to its own repository what it likes: nothing of it runs outside the sandbox, nothing foreign comes out.
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { ResultRepository } from "./result-repository.ts";

const scene = shareWorkspaces({ files: 3, commits: 1 });
const victim = { owner: "app:victim" };
const thief = { owner: "app:thief" };
/** Everybody may write here; it is outside of every sandbox. */
let outside = "";
/** What the victim's job made, and where it lies. */
let secret = "";
let foreign = "";

const resultsOf = ({ owner }: { owner: string }) => {
  const { directories, locks } = scene.git;
  return new ResultRepository({ directories, locks }, owner, scene.mirror).gitDir;
};

beforeAll(async () => {
  outside = join(scene.root, "outside");
  await mkdir(outside);
  await chmod(outside, 0o777);
  const job = await scene.create(SANDBOXED[0] ?? expect.fail(), { owner: victim });
  await shell(job, "echo 'the secret of another owner' > secret.txt");
  const { commit } = await job.result();
  await job.remove();
  foreign = resultsOf(victim);
  secret = await plainGit(["--git-dir", foreign, "rev-parse", `${commit}:secret.txt`]);
});

/** Would leave a mark outside if it ran outside, and one in /tmp wherever it runs. */
const mark = (name: string) => `touch ${outside}/${name} /tmp/ran-${name}`;

const program = (name: string) => `printf '#!/bin/sh\\n${mark(name)}\\ncat\\n'`;

/** Each prepares the repository; the workspace has a new file as well. */
const ATTACKS: Record<string, () => string> = {
  "a clean filter": () => `
    echo '* filter=evil' > .gitattributes; git config filter.evil.clean '${mark("filter")}; cat'`,
  "alternates to another owner's results and to the mirror": () => `
    printf '%s\\n' '${foreign}/objects' '${scene.mirror.gitDir}/objects' > .git/objects/info/alternates
    git update-index --add --cacheinfo 100644,${secret},stolen.txt`,
  "a tree that names another owner's file": () => `
    rm -f .git/objects/info/alternates
    tree=$(printf '100644 blob ${secret}\\tstolen.txt\\n' | git mktree --missing)
    git update-ref refs/heads/stolen $(git commit-tree -m x $tree -p HEAD); git symbolic-ref HEAD refs/heads/stolen`,
  "objects in a linked directory": () =>
    `rm -rf .git/objects; ln -s '${foreign}/objects' .git/objects`,
  "packs in a linked directory": () => `
    mv .git/objects/pack .git/objects/away; ln -s '${foreign}/objects/pack' .git/objects/pack`,
  "a work tree elsewhere": () => "git config core.worktree /",
  "a work tree that is another's": () => `git config core.worktree '${foreign}'`,
  "a file in place of .git": () => `mv .git /tmp/git; echo 'gitdir: ${foreign}' > .git`,
  "a link in place of .git": () => `mv .git /tmp/git; ln -s '${foreign}' .git`,
  "a repository of its own elsewhere": () => `
    rm -rf .git; git init -q /tmp/other; echo 'gitdir: /tmp/other/.git' > .git`,
  "no repository at all": () => "rm -rf .git",
  "an index that is no index": () => "echo garbage > .git/index",
  "a HEAD that is no HEAD": () => "echo garbage > .git/HEAD",
  "a HEAD that leads to another's file": () => "rm .git/HEAD; ln -s /etc/passwd .git/HEAD",
  "fsmonitor, hooks and programs in its configuration": () => `
    for name in pre-commit post-commit commit-msg prepare-commit-msg post-index-change reference-transaction; do
      ${program("hook")} > .git/hooks-$name; mkdir -p .git/hooks; cp .git/hooks-$name .git/hooks/$name
    done; chmod +x .git/hooks/*
    ${program("tool")} > tool; chmod +x tool
    git config core.fsmonitor "$PWD/tool"; git config core.sshCommand "$PWD/tool"; git config core.pager "$PWD/tool"
    git config diff.external "$PWD/tool"; git config gpg.program "$PWD/tool"; git config commit.gpgSign true
    git config core.editor "$PWD/tool"; git config alias.add '!${mark("alias")}'; git config alias.pack-objects '!false'
    git config core.hooksPath "$PWD/.git/hooks"; git config core.alternateRefsCommand "$PWD/tool"
    printf '[include]\\n\\tpath = /tmp/more\\n' >> .git/config
    printf '[core]\\n\\tfsmonitor = ${outside}/x\\n' > /tmp/more`,
  "another git in every place it may write": () => `
    mkdir -p bin "$HOME/bin" "$HOME/.local/bin"; ${program("git")} > git; chmod +x git
    for place in bin "$HOME/bin" "$HOME/.local/bin" /tmp; do cp git "$place/git"; cp git "$place/sh"; done
    printf '[core]\\n\\tfsmonitor = ${outside}/x\\n' > "$HOME/.gitconfig"`,
  "a directory that it may not enter itself": () => "chmod 000 .",
  "a temporary directory that is none": () => "rm -rf /tmp/home; touch /tmp/home; chmod 000 /tmp",
};

describe.each(SANDBOXED)("$name", (machine) => {
  test.each(Object.keys(ATTACKS))("%s", async (what) => {
    const job = await scene.create(machine, { owner: thief, branch: "work" });
    await job.run(["sh", "-c", `echo own > own.txt; ${ATTACKS[what]?.()}`]);
    const outcomes = await Promise.allSettled([job.diff(), job.result(), job.commit("x")]);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      expect(outcome.reason).toBeInstanceOf(WorkspaceError);
      expect(outcome.reason).toMatchObject({ code: "result-refused" });
    }
    expect(readdirSync(outside)).toEqual([]);
    await expectNoSecret(String(outcomes[0]?.status === "fulfilled" ? outcomes[0].value : ""));
    await job.remove();
  });
});

async function expectNoSecret(diff: string): Promise<void> {
  expect(diff).not.toContain("the secret of another owner");
  const gitDir = resultsOf(thief);
  if (!existsSync(gitDir)) return;
  const args = [
    "--git-dir",
    gitDir,
    "cat-file",
    "--batch-all-objects",
    "--batch-check=%(objectname)",
  ];
  expect((await plainGit(args)).split("\n")).not.toContain(secret);
}

test("a clean filter does run, in the sandbox, as the job's user, and its work is the result", async () => {
  const job = await scene.create(SANDBOXED[0] ?? expect.fail(), { owner: thief });
  await shell(
    job,
    `echo '*.low filter=upper' > .gitattributes; echo quiet > x.low
     git config filter.upper.clean 'id -u > /tmp/who; ls ${scene.data} > /tmp/seen; tr a-z A-Z'`,
  );
  const { commit } = await job.result();
  expect(await plainGit(["--git-dir", resultsOf(thief), "show", `${commit}:x.low`])).toBe("QUIET");
  expect(await shell(job, "cat /tmp/seen /tmp/who")).toBe(
    `workspaces\n${await shell(job, "id -u")}`,
  );
  await job.remove();
});

test("a result above the limit is refused, and the next one below it is not", async () => {
  const job = await scene.create(SANDBOXED[0] ?? expect.fail(), { owner: thief });
  await shell(job, "head -c 300000 /dev/urandom > large");
  await expect(job.result({ maxBytes: 100_000 })).rejects.toMatchObject({
    ...{
      code: "result-refused",
      message: "the job's result is refused: it is larger than 100000 bytes",
    },
  });
  expect(await job.result({ maxBytes: 1_000_000 })).toMatchObject({ base: job.base });
  await job.remove();
});

test("a result that is given up, or takes too long, is told as such", async () => {
  const job = await scene.create(SANDBOXED[0] ?? expect.fail(), { owner: thief });
  await shell(
    job,
    "echo '* filter=slow' > .gitattributes; git config filter.slow.clean 'sleep 1000'",
  );
  const result = job.result({ signal: AbortSignal.timeout(200) });
  await expect(result).rejects.toMatchObject({ code: "aborted" });
  await job.remove();
});
