// Only what a job could read comes into the results, whatever bytes it sends.
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  commitObject,
  delta,
  idOf,
  makePack,
  object,
  type PackDelta,
  type PackObject,
  treeObject,
} from "../../test/support/make-pack.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { shareWorkspaces } from "../../test/support/workspace-scene.ts";
import { removeTree, stagingPlace } from "../disk/git-directories.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { ResultRepository } from "./result-repository.ts";
import { incomingPack, prepareQuarantine, takeIn } from "./take-in.ts";

const scene = shareWorkspaces({ files: 3, commits: 2 });

/** In the mirror, but not below the job's base: known to the job by name at most. */
const secret = { commit: "", tree: "", blob: "", bytes: 0 };
let results: ResultRepository;

const inOrigin = (args: readonly string[]) => plainGit(["--git-dir", scene.origin, ...args]);

beforeAll(async () => {
  const blob = object("blob", `the secret of another branch ${"x".repeat(200)}\n`);
  const tree = treeObject([["100644", "secret.txt", idOf(blob)]]);
  const commit = commitObject(idOf(tree), []);
  for (const { type, content } of [blob, tree, commit]) {
    const args = ["--git-dir", scene.origin, "hash-object", "-w", "--stdin", "-t", type];
    execFileSync("git", args, { input: content, stdio: ["pipe", "ignore", "inherit"] });
  }
  await inOrigin(["update-ref", "refs/heads/secret", idOf(commit)]);
  await scene.git.mirrors.fetch(scene.remote, USUAL_REFS);
  Object.assign(secret, {
    commit: idOf(commit),
    tree: idOf(tree),
    blob: idOf(blob),
    bytes: blob.content.length,
  });
  const { directories, locks } = scene.git;
  results = new ResultRepository({ directories, locks }, "app:1", scene.mirror);
  await results.hold("make it", async () => {});
});

async function take(
  pack: Buffer,
  commit: string,
  base: CommitId = scene.commits[0],
): Promise<void> {
  const place = stagingPlace(scene.git.directories, "result");
  try {
    prepareQuarantine(place);
    writeFileSync(incomingPack(place), pack);
    await takeIn(results, {
      place,
      commit: commitId(commit),
      base,
      ref: "refs/croft/test",
      attempt: {},
    });
  } finally {
    await removeTree(place);
  }
}

/** A commit on top of the base with this tree; everything it needs, unless something is left out. */
function honest(content = "new\n") {
  const blob = object("blob", content);
  const tree = treeObject([["100644", "new.txt", idOf(blob)]]);
  const commit = commitObject(idOf(tree), [scene.commits[0]]);
  return { blob, tree, commit };
}

test("a whole pack is taken in, once or twice, and makes a sound repository", async () => {
  const { blob, tree, commit } = honest();
  const pack = makePack([commit, tree, blob]);
  await take(pack, idOf(commit));
  await take(pack, idOf(commit));
  const inResults = (args: readonly string[]) => plainGit(["--git-dir", results.gitDir, ...args]);
  expect(await inResults(["rev-parse", "refs/croft/test"])).toBe(idOf(commit));
  expect(await inResults(["fsck", "--strict", "--no-dangling"])).toBe("");
  expect(await inResults(["show", "refs/croft/test:new.txt"])).toBe("new");
  expect(readdirSync(join(results.gitDir, "objects/pack")).length).toBe(2);
  await inResults(["update-ref", "-d", "refs/croft/test"]);
});

test("an older commit of the base's own history is accepted: it could be read", async () => {
  await take(makePack([]), scene.commits[1] ?? "");
  await take(Buffer.alloc(0), scene.commits[0]); // the base itself, with no pack at all
});

test("faults of old history that are let in when it is fetched are let in here too", async () => {
  const { blob, tree } = honest();
  const text = `tree ${idOf(tree)}\nparent ${scene.commits[0]}\nauthor A <a@b> 1 -7000\ncommitter A <a@b> 1 +051800\n\nold\n`;
  const commit = object("commit", text);
  await take(makePack([commit, tree, blob]), idOf(commit));
});

describe("refused is", () => {
  type Attack = () => { pack: Buffer; commit: string };
  const bring = (head: PackObject, ...rest: (PackObject | PackDelta)[]) => ({
    pack: makePack([head, ...rest]),
    commit: idOf(head),
  });
  const withTree = (tree: PackObject, ...rest: (PackObject | PackDelta)[]) =>
    bring(commitObject(idOf(tree), [scene.commits[0]]), tree, ...rest);
  const named = (mode: string, name: string) => () => {
    const blob = object("blob", "x");
    return withTree(treeObject([[mode, name, idOf(blob)]]), blob);
  };
  const copyAll = () => Buffer.from([0b1011_0000, secret.bytes & 255, secret.bytes >> 8]);

  const ATTACKS: Record<string, Attack> = {
    "a commit of the mirror that was not below the base": () => ({
      pack: makePack([]),
      commit: secret.commit,
    }),
    "a parent that was not sent": () => {
      const { blob, tree } = honest();
      return bring(commitObject(idOf(tree), [scene.commits[0], secret.commit]), tree, blob);
    },
    "a tree that was not sent": () => bring(commitObject(secret.tree, [scene.commits[0]])),
    "a directory that was not sent": () => withTree(treeObject([["40000", "d", secret.tree]])),
    "a file that was not sent": () => withTree(treeObject([["100644", "f", secret.blob]])),
    "a difference to a file that was not sent": () => {
      const copy = { base: secret.blob, delta: delta(secret.bytes, secret.bytes, copyAll()) };
      return withTree(treeObject([["100644", "f", secret.blob]]), copy);
    },
    "a difference to a file that was not sent, whose result is new": () => {
      const content = Buffer.concat([Buffer.alloc(10, "y")]);
      const tell = Buffer.concat([Buffer.from([content.length]), content]);
      const change = { base: secret.blob, delta: delta(secret.bytes, content.length, tell) };
      return withTree(treeObject([["100644", "f", idOf(object("blob", content))]]), change);
    },
    "a commit that names nothing": () => bring(commitObject("1".repeat(40), [scene.commits[0]])),
    "a commit that is not there": () => ({ pack: makePack([]), commit: "2".repeat(40) }),
    "a tree for a commit": () => {
      const { blob, tree } = honest();
      return { pack: makePack([tree, blob]), commit: idOf(tree) };
    },
    "a tag for a commit": () => {
      const { blob, tree, commit } = honest();
      const head = `object ${idOf(commit)}\ntype commit\ntag t\ntagger A <a@b> 1 +0000\n\nt\n`;
      return bring(object("tag", head), commit, tree, blob);
    },
    "a file where a tree should be": () => {
      const { blob } = honest();
      return bring(commitObject(idOf(blob), [scene.commits[0]]), blob);
    },
    "no pack at all": () => ({ pack: Buffer.alloc(0), commit: idOf(honest().commit) }),
    "something that is no pack": () => ({ pack: Buffer.from("hello\n"), commit: "3".repeat(40) }),
    "a pack that is cut short": () => {
      const { blob, tree, commit } = honest();
      return { pack: makePack([commit, tree, blob]).subarray(0, -30), commit: idOf(commit) };
    },
    "a pack with something behind it": () => {
      const { blob, tree, commit } = honest();
      const pack = Buffer.concat([makePack([commit, tree, blob]), Buffer.from("more")]);
      return { pack, commit: idOf(commit) };
    },
    "a few bytes that are two gigabytes when they are read": () => {
      const block = object("blob", Buffer.alloc(2 ** 16, "x"));
      const copies = Buffer.alloc(2 ** 15, 0b1000_0000); // each the whole block
      const bomb = { base: idOf(block), delta: delta(2 ** 16, 2 ** 31, copies) };
      return withTree(treeObject([["100644", "f", idOf(block)]]), block, bomb);
    },
    "a repository within the tree": named("40000", ".git"),
    "one in disguise": named("100644", ".GiT"),
    "one in disguise for other systems": named("100644", "git~1"),
    "a way up": named("100644", ".."),
    "a way elsewhere": named("100644", "a/b"),
    "a link for .gitmodules": named("120000", ".gitmodules"),
    "a name twice": () => {
      const blob = object("blob", "x");
      const entry = ["100644", "f", idOf(blob)] as const;
      return withTree(treeObject([entry, entry]), blob);
    },
    "a submodule address that is an option": () => {
      const blob = object("blob", '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n');
      return withTree(treeObject([["100644", ".gitmodules", idOf(blob)]]), blob);
    },
  };

  test.each(Object.keys(ATTACKS))("%s", async (what) => {
    const { pack, commit } = ATTACKS[what]?.() ?? expect.fail();
    const before = readdirSync(join(results.gitDir, "objects/pack"));
    await expect(take(pack, commit)).rejects.toMatchObject({
      code: "result-refused",
      message: expect.stringContaining("the job's result is refused: "),
    });
    expect(readdirSync(join(results.gitDir, "objects/pack"))).toEqual(before);
    expect(readdirSync(scene.git.directories.staging)).toEqual([]);
  });

  test("with the reason in words", async () => {
    const { pack, commit } = named("40000", ".git")();
    await expect(take(pack, commit)).rejects.toThrow(
      /refused: object \w+: hasDotgit: contains '.git'/,
    );
  });
});
