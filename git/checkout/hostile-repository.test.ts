// Repositories that mean harm: nothing of theirs runs, nothing is written outside, and what is refused says why.
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { idle } from "../../test/support/idle.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import {
  commitTree,
  type RawEntry,
  writeBlob,
  writeTree,
  writeWideTree,
} from "../../test/support/raw-objects.ts";
import { differences, readCheckout } from "../../test/support/read-checkout.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type ScratchGit, scratchGit } from "../../test/support/scratch-git.ts";
import { unmountWhenFinished } from "../../test/support/unmount-below.ts";
import { GitError } from "../command/git-error.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import type { GitOptions } from "../open-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { Workspace } from "../workspace/workspace.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };
/** Overlays can only be made by root. */
const KINDS = isRoot ? (["overlay", "clone"] as const) : (["clone"] as const);

async function prepare(options: Partial<GitOptions> = {}) {
  const scratch = await scratchGit({ files: 60, commits: 0, odd: false }, options);
  unmountWhenFinished(scratch.root);
  const { origin } = scratch;
  const blob = await writeBlob(origin, "harmless\n");
  const main = await plainGit(["--git-dir", origin, "rev-parse", "main"]);
  const list = await plainGit(["--git-dir", origin, "ls-tree", "main"]);
  /** What an honest commit has, so that the next one can be built on its template. */
  const honest: RawEntry[] = list.split("\n").map((line) => {
    const [mode = "", , id = "", name = ""] = line.split(/\s/);
    return { mode: mode.replace(/^0/, ""), id, name };
  });
  return { ...scratch, blob, main, honest };
}

const file = (name: string | Buffer, id: string): RawEntry => ({ mode: "100644", name, id });

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return "nothing";
  if (error instanceof GitError) return error.code;
  throw error;
}

async function expectClean({ git, data, mirror }: ScratchGit): Promise<void> {
  await idle(git);
  expect(findLeftovers(data, [mirror.gitDir])).toEqual([]);
}

/** Once on a template of its own, once on the honest one's. */
async function everyWay(
  { git, mirror, commits }: ScratchGit,
  commit: CommitId,
  look: (workspace: Workspace) => Promise<void> | void,
): Promise<void> {
  for (const kind of KINDS) {
    for (const isDelta of kind === "overlay" ? [false, true] : [false]) {
      if (isDelta) await git.templates.get(mirror, commits[0]);
      const plan = { name: "hostile", owner, kind };
      const workspace = await git.workspaces.createAt(mirror, commit, plan);
      try {
        await look(workspace);
      } finally {
        await workspace.remove();
      }
    }
  }
}

describe("refused when they are fetched", () => {
  const NAMES: readonly [what: string, name: string][] = [
    [".git", ".git"],
    [".git in capitals", ".GIT"],
    [".git in Windows' short form", "git~1"],
    [".git with something invisible in it, as macOS ignores it", ".g\u200cit"],
    [".git with a trailing dot, as Windows ignores it", ".git."],
    [".git with a trailing space", ".git "],
    [".git as a stream of NTFS", ".git::$INDEX_ALLOCATION"],
    ["the directory itself", "."],
    ["the directory above", ".."],
    ["a path", "a/b"],
    ["a path upwards", "../../outside"],
    ["nothing", ""],
  ];

  test("names that lead elsewhere or look like git's own", async () => {
    const scratch = await prepare();
    const { git, origin, remote, blob, mirror } = scratch;
    const outcomes: [string, string][] = [];
    for (const [number, [what, name]] of NAMES.entries()) {
      const inner = await writeTree(origin, [file("config", blob)]);
      const tree = await writeTree(origin, [{ mode: "40000", name, id: inner }]);
      const branch = `case-${number}`;
      await commitTree(origin, branch, tree);
      outcomes.push([what, await codeOf(git.mirrors.fetch(remote, [`refs/heads/${branch}`]))]);
    }
    expect(outcomes).toEqual(NAMES.map(([what]) => [what, "rejected"]));
    expect(
      await plainGit(["--git-dir", mirror.gitDir, "for-each-ref", "refs/remote/heads"]),
    ).toMatch(/^\S+ commit\trefs\/remote\/heads\/main$/);
    await git.mirrors.fetch(remote, ["refs/heads/main"]); // the honest branch goes on
    await expectClean(scratch);
  });

  test("two entries of one name, a link and a directory behind it", async () => {
    const scratch = await prepare();
    const { git, origin, remote, blob } = scratch;
    const outside = await writeBlob(origin, "/tmp");
    const inner = await writeTree(origin, [file("planted", blob)]);
    const tree = await writeTree(origin, [
      { mode: "120000", name: "a", id: outside },
      { mode: "40000", name: "a", id: inner },
    ]);
    await commitTree(origin, "twice", tree);
    expect(await codeOf(git.mirrors.fetch(remote, ["refs/heads/twice"]))).toBe("rejected");
    expect(existsSync("/tmp/planted")).toBe(false);
    await expectClean(scratch);
  });

  test(".gitmodules that would run something or is a link", async () => {
    const scratch = await prepare();
    const { git, origin, remote } = scratch;
    const evil = [
      '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n',
      '[submodule "../x"]\n\turl = a\n\tpath = x\n',
    ];
    const outcomes: string[] = [];
    for (const [number, text] of evil.entries()) {
      const tree = await writeTree(origin, [file(".gitmodules", await writeBlob(origin, text))]);
      await commitTree(origin, `modules-${number}`, tree);
      outcomes.push(await codeOf(git.mirrors.fetch(remote, [`refs/heads/modules-${number}`])));
    }
    const target = await writeBlob(origin, "/etc/passwd");
    const tree = await writeTree(origin, [{ mode: "120000", name: ".gitmodules", id: target }]);
    await commitTree(origin, "link", tree);
    outcomes.push(await codeOf(git.mirrors.fetch(remote, ["refs/heads/link"])));
    expect(outcomes).toEqual(["rejected", "rejected", "rejected"]);
    await expectClean(scratch);
  });
});

describe("refused before anything is written", () => {
  /** Ten thousand million files, in ten small objects. */
  async function writeBomb(origin: string, blob: string): Promise<string> {
    let tree = await writeTree(
      origin,
      Array.from({ length: 10 }, (_, number) => file(`f${number}`, blob)),
    );
    for (let level = 0; level < 9; level++) {
      const id = tree;
      const entries = Array.from({ length: 10 }, (_, number) => `d${number}`);
      tree = await writeTree(
        origin,
        entries.map((name) => ({ mode: "40000", name, id })),
      );
    }
    return tree;
  }

  test("trees of more files than allowed, however small the repository", async () => {
    const scratch = await prepare();
    const { git, origin, remote, mirror, blob, main, commits, honest } = scratch;
    const bomb = await commitTree(origin, "bomb", await writeBomb(origin, blob), main);
    const inner = await writeBomb(origin, blob);
    const honestly = [...honest, { mode: "40000", name: "zzz", id: inner }];
    const hidden = await commitTree(origin, "hidden", await writeTree(origin, honestly), main);
    const million = await writeWideTree(origin, 1_000_000, blob);
    const wide = await commitTree(origin, "wide", million, main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      if (kind === "overlay") await git.templates.get(mirror, commits[0]);
      for (const commit of [bomb, hidden, wide]) {
        const making = git.workspaces.createAt(mirror, commit, { name: "bomb", owner, kind });
        expect(await codeOf(making)).toBe("too-large");
      }
    }
    await expectClean(scratch);
  });

  test("files larger than allowed, in a whole checkout and as the one that is new", async () => {
    const scratch = await prepare({ limits: { files: 1000, bytes: 2_000_000 } });
    const { git, origin, remote, mirror, honest, main, commits } = scratch;
    const large = await writeBlob(origin, Buffer.alloc(3_000_000)); // a few kilobytes in the pack
    const tree = await writeTree(origin, [...honest, file("zzz", large)]);
    const commit = await commitTree(origin, "large", tree, main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      if (kind === "overlay") await git.templates.get(mirror, commits[0]);
      const making = git.workspaces.createAt(mirror, commit, { name: "large", owner, kind });
      expect(await codeOf(making)).toBe("too-large");
    }
    await expectClean(scratch);
  });
});

describe("what the filesystem cannot hold", () => {
  const CASES: readonly [what: string, entry: (origin: string) => Promise<RawEntry>][] = [
    ["a name of 300 bytes", async (origin) => file("z".repeat(300), await writeBlob(origin, "x"))],
    [
      "a link with a target of 5,000 bytes",
      async (origin) => ({
        mode: "120000",
        name: "zzz",
        id: await writeBlob(origin, "t".repeat(5000)),
      }),
    ],
    [
      "a path of 6,000 bytes",
      async (origin) => {
        let id = await writeTree(origin, [file("leaf", await writeBlob(origin, "x"))]);
        for (let level = 0; level < 30; level++) {
          id = await writeTree(origin, [{ mode: "40000", name: "d".repeat(200), id }]);
        }
        return { mode: "40000", name: "zzz", id };
      },
    ],
  ];

  test.each(CASES)("%s fails with a GitError and leaves nothing", async (_what, makeEntry) => {
    const scratch = await prepare();
    const { git, origin, remote, mirror, honest, main, commits } = scratch;
    const tree = await writeTree(origin, [...honest, await makeEntry(origin)]);
    const commit = await commitTree(origin, "long", tree, main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      const plan = { name: "long", owner, kind };
      expect(await codeOf(git.workspaces.createAt(mirror, commit, plan))).toBe("failed");
      const honestly = await git.workspaces.createAt(mirror, commits[0], plan);
      await honestly.remove();
      expect(await codeOf(git.workspaces.createAt(mirror, commit, plan))).toBe("failed");
    }
    await expectClean(scratch);
  });
});

describe("checked out safely", () => {
  test("links that lead out are made as links and never followed", async () => {
    const outside = await scratchDirectory();
    const victim = join(outside, "victim");
    mkdirSync(join(outside, "directory"), { mode: 0o777 });
    writeFileSync(victim, "canary\n", { mode: 0o666 });
    const untouched = readCheckout(outside);
    const scratch = await prepare();
    const { git, origin, remote, honest, main } = scratch;
    const targets = {
      "z-absolute": victim,
      "z-directory": outside,
      "z-loop": "z-loop",
      "z-root": "/",
      "z-upwards": "../../../../../../../../../../etc/passwd",
    };
    const links: RawEntry[] = [];
    for (const [name, target] of Object.entries(targets)) {
      links.push({ mode: "120000", name, id: await writeBlob(origin, target) });
    }
    const rules = await writeBlob(origin, "/etc/passwd");
    const tree = await writeTree(origin, [
      { mode: "120000", name: ".gitattributes", id: rules },
      { mode: "120000", name: ".gitignore", id: rules },
      ...honest,
      ...links,
    ]);
    const commit = await commitTree(origin, "links", tree, main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    await everyWay(scratch, commit, ({ path }) => {
      for (const [name, target] of Object.entries(targets)) {
        expect(readlinkSync(join(path, name))).toBe(target);
      }
    });
    expect(differences(untouched, readCheckout(outside))).toEqual([]);
    expect(readFileSync(victim, "utf8")).toBe("canary\n");
    await expectClean(scratch);
  });

  test("filters, hooks, aliases and submodules in the tree do nothing", async () => {
    const outside = await scratchDirectory();
    const canary = join(outside, "canary");
    const touch = `touch ${canary}`;
    const scratch = await prepare();
    const { git, origin, remote, honest, main } = scratch;
    const script = await writeBlob(origin, `#!/bin/sh\n${touch}\n`);
    const hooks = await writeTree(origin, [
      { mode: "100755", name: "post-checkout", id: script },
      { mode: "100755", name: "post-index-change", id: script },
    ]);
    const config = `[core]\n\tfsmonitor = ${touch}\n\thooksPath = .githooks\n[filter "evil"]\n\tsmudge = ${touch}\n`;
    const modules = `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c ${touch.replace(" ", "%20")}\n`;
    const rules = "* filter=evil diff=evil merge=evil\n*.txt working-tree-encoding=UTF-16\n";
    const tree = await writeTree(origin, [
      file(".gitattributes", await writeBlob(origin, rules)),
      file(".gitconfig", await writeBlob(origin, config)),
      { mode: "40000", name: ".githooks", id: hooks },
      file(".gitmodules", await writeBlob(origin, modules)),
      ...honest,
      { mode: "160000", name: "x", id: "1".repeat(40) },
    ]);
    const commit = await commitTree(origin, "planted", tree, main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    await everyWay(scratch, commit, async (workspace) => {
      const { exitCode } = await workspace.run(["git", "status", "--short"]);
      expect(exitCode).toBe(0);
      await workspace.result();
    });
    expect(existsSync(canary)).toBe(false);
    await expectClean(scratch);
  });

  test("names that differ in case only, with newlines, backslashes and bytes that are no text", async () => {
    const scratch = await prepare();
    const { git, origin, remote, blob, main } = scratch;
    const names = [
      "A",
      "a",
      "back\\slash",
      "c:\\windows",
      "new\nline",
      "tab\t",
      "~",
      "\x1b[31mred",
    ];
    const entries = [...names.map((name) => Buffer.from(name)), Buffer.from([0xff, 0x80])]
      .sort(Buffer.compare)
      .map((name) => file(name, blob));
    const commit = await commitTree(origin, "names", await writeTree(origin, entries), main);
    await git.mirrors.fetch(remote, USUAL_REFS);
    await everyWay(scratch, commit, async (workspace) => {
      const found = [...readCheckout(workspace.path).keys()].sort();
      expect(found).toEqual(entries.map(({ name }) => Buffer.from(name).toString("latin1")).sort());
      const { stdout } = await workspace.run(["git", "status", "--short"]);
      expect(stdout.toString()).toBe("");
    });
    await expectClean(scratch);
  });

  /** As if the check at the fetch did not exist: git itself does not write such names. */
  test.each([".git", "git~1", ".."])(
    "'%s' that is in the mirror already is not written",
    async (name) => {
      const scratch = await prepare();
      const { git, mirror, blob, honest } = scratch;
      const { gitDir } = mirror;
      await writeBlob(gitDir, "harmless\n");
      const inner = await writeTree(gitDir, [file("planted", blob)]);
      const sneaky: RawEntry[] = [{ mode: "40000", name, id: inner }, ...honest];
      const commit = await commitTree(gitDir, "sneaky", await writeTree(gitDir, sneaky));
      await plainGit(["--git-dir", gitDir, "repack", "-a", "-d", "-q", "--keep-unreachable"]);
      await plainGit(["--git-dir", gitDir, "update-ref", "-d", "refs/heads/sneaky"]);
      for (const kind of KINDS) {
        const plan = { name: "sneaky", owner, kind };
        expect(await codeOf(git.workspaces.createAt(mirror, commit, plan))).toBe("failed");
      }
      expect(existsSync(join(git.directories.workspaces, "planted"))).toBe(false);
      await expectClean(scratch);
    },
  );
});
