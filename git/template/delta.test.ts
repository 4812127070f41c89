// A template made of what changed is the same as a whole checkout, whatever takes the place of whatever.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Tree, type TreeEntry, treeOf } from "../../test/support/import-commits.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { randomTrees } from "../../test/support/random-trees.ts";
import { differences, readCheckout } from "../../test/support/read-checkout.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type ScratchStory, scratchStory } from "../../test/support/scratch-story.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { Workspace } from "../workspace/workspace.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };

/** So that one change is a small share of the tree. */
const BALLAST = Object.fromEntries(
  Array.from({ length: 40 }, (_, number) => [`ballast/${number}`, `${number}\n`]),
);

/** What plain git makes of a commit, in a clone of its own. */
async function plainCheckout({ root, origin }: ScratchStory, commit: CommitId) {
  const path = join(root, "plain");
  await plainGit(["clone", "--quiet", "--shared", "--no-checkout", origin, path]);
  await plainGit(["checkout", "--quiet", "--detach", commit], path);
  const found = readCheckout(path);
  rmSync(path, { recursive: true });
  return found;
}

function hasOwnIndex({ git }: ScratchStory, { id }: Workspace): boolean {
  return existsSync(join(git.directories.workspaces, ".parts", id, "upper/.git/index"));
}

/** In what it differs from a plain checkout, in the files or in what git says of them; and how deep it lies. */
async function lookInto(scratch: ScratchStory, commit: CommitId) {
  const { git, mirror } = scratch;
  const workspace = await git.workspaces.createAt(mirror, commit, { name: "look", owner });
  try {
    const found = differences(await plainCheckout(scratch, commit), readCheckout(workspace.path));
    const status = await workspace.run(["git", "status", "--porcelain", "--ignored"]);
    return {
      wrong: [
        ...found,
        ...`${status.stdout}${status.stderr}`.split("\n").filter((line) => line !== ""),
        ...(hasOwnIndex(scratch, workspace) ? ["git status has written the index anew"] : []),
      ],
      layers: git.templates.find(mirror, commit)?.layers.length,
    };
  } finally {
    await workspace.remove();
  }
}

test.skipIf(!isRoot)(
  "fifty random changes of trees, each on the last, are as if checked out anew",
  async () => {
    const scratch = await scratchStory(randomTrees(seededRandom(20_261_115), 50));
    let deltas = 0;
    for (const [number, commit] of scratch.story.entries()) {
      const { wrong, layers } = await lookInto(scratch, commit);
      expect({ number, commit, wrong }).toEqual({ number, commit, wrong: [] });
      expect(layers).toBeLessThanOrEqual(8);
      if (layers !== 1) deltas++;
    }
    expect(deltas).toBeGreaterThan(25);
  },
  180_000,
);

const file = (content: string): TreeEntry => ({ mode: "100644", content });
const program = (content: string): TreeEntry => ({ mode: "100755", content });
const link = (content: string): TreeEntry => ({ mode: "120000", content });
const submodule: TreeEntry = { mode: "160000", commit: "1".repeat(40) };

type Entries = Readonly<Record<string, TreeEntry>>;
const STEPS: readonly (readonly [what: string, entries: Entries])[] = [
  ["a file", { a: file("a\n"), gone: file("gone\n") }],
  ["a program of the same content; a file goes", { a: program("a\n") }],
  ["a directory in its place", { "a/b": file("b\n"), "a/c/d/e": file("e\n") }],
  ["a link in place of the directory", { a: link("/tmp") }],
  ["a directory in place of the link", { "a/b": file("B\n") }],
  ["a submodule in place of the directory", { a: submodule }],
  ["a file in place of the submodule", { a: file("a\n") }],
  ["a submodule in place of the file", { a: submodule, "deep/er/sub": submodule }],
  ["a directory in place of the submodule; the deep one goes", { "a/x": file("x\n") }],
  ["a link in place of a file below", { "a/x": link("../..") }],
  ["a file in place of that link", { "a/x": file("x\n") }],
  ["renamed", { "b/x": file("x\n") }],
  ["renamed back, with an odd name beside", { "a/x": file("x\n"), 'o\n\\"* d': file("odd\n") }],
  ["nothing changes", { "a/x": file("x\n"), 'o\n\\"* d': file("odd\n") }],
  ["the same size", { "a/x": file("y\n") }],
  ["line ends as git writes them", { "w.txt": file("one\r\ntwo\r\n") }],
];

test.skipIf(!isRoot)(
  "files, directories, links and submodules take each other's place",
  async () => {
    const trees = STEPS.map(([, entries]) => treeOf({ ...BALLAST, ...entries }));
    const scratch = await scratchStory(trees);
    let deltas = 0;
    for (const [number, commit] of scratch.story.entries()) {
      const { wrong, layers } = await lookInto(scratch, commit);
      expect({ step: STEPS[number]?.[0], wrong }).toEqual({ step: STEPS[number]?.[0], wrong: [] });
      if (layers !== 1) deltas++;
    }
    expect(deltas).toBeGreaterThan(STEPS.length / 2);
  },
  60_000,
);

test.skipIf(!isRoot)(
  "very many changes at once, with a submodule and with line ends that the rules forbid",
  async () => {
    const many = (version: number) =>
      Array.from({ length: 400 }, (_, number) => [
        `many/${number}`,
        number < 80 ? `${number} of ${version}\n` : `${number}\n`,
      ]);
    const trees = ["one\n", "two\n", "one\r\ntwo\r\n"].map((text, version) =>
      treeOf({
        ...Object.fromEntries(many(version)),
        ...{ "w.txt": text, ".gitattributes": "*.txt text\n", sub: submodule },
      }),
    );
    const scratch = await scratchStory(trees);
    const looks = [];
    for (const commit of scratch.story) looks.push(await lookInto(scratch, commit));
    expect(looks).toEqual([1, 2, 3].map((layers) => ({ layers, wrong: [] })));
  },
  60_000,
);

test.skipIf(!isRoot)(
  "other rules for line ends change files that are the same in both commits",
  async () => {
    const text = { "a.txt": "one\ntwo\n", "b/c.txt": "three\n", "d.bin": "four\n" };
    const rules = [
      undefined,
      "*.txt text eol=crlf\n",
      "*.txt text eol=crlf\n*.bin text eol=crlf\n",
      "* -text\n",
      undefined,
    ];
    const trees: Tree[] = rules.map((rule) =>
      treeOf({ ...BALLAST, ...text, ...(rule === undefined ? {} : { ".gitattributes": rule }) }),
    );
    trees.push(treeOf({ ...BALLAST, ...text, "b/.gitattributes": "* text eol=crlf\n" }));
    const scratch = await scratchStory(trees);
    for (const commit of scratch.story) expect((await lookInto(scratch, commit)).wrong).toEqual([]);
  },
);

test.skipIf(!isRoot)(
  "files with line ends that the rules forbid are not taken for modified, in a whole template and in a delta",
  async () => {
    const before = { ...BALLAST, ".gitattributes": "*.txt text\n", "a.txt": "one\r\ntwo\r\n" };
    const scratch = await scratchStory([
      treeOf(before),
      treeOf({ ...before, "b.txt": "three\r\n" }),
    ]);
    for (const [number, commit] of scratch.story.entries()) {
      expect(await lookInto(scratch, commit)).toEqual({ wrong: [], layers: number + 1 });
    }
  },
);

test.skipIf(!isRoot)(
  "a link that takes the place of a directory leads nobody out of the template",
  async () => {
    const outside = await scratchDirectory();
    const canaries = [join(outside, "b"), join(outside, "c/d")];
    chmodSync(outside, 0o777);
    mkdirSync(join(outside, "c"));
    chmodSync(join(outside, "c"), 0o777);
    for (const canary of canaries) writeFileSync(canary, "canary\n", { mode: 0o666 });
    const untouched = readCheckout(outside);
    const away = link(outside);
    const scratch = await scratchStory([
      treeOf({ ...BALLAST, "a/b": "b\n", "a/c/d": "d\n" }),
      treeOf({ ...BALLAST, a: away }),
      treeOf({ ...BALLAST, "a/b": "B\n", "a/c/d": "D\n", "a/new": "new\n" }),
      treeOf({ ...BALLAST, a: away, "e/f": "f\n" }),
      treeOf({ ...BALLAST, "a/c": link(join(outside, "c")), e: link(`${outside}/`) }),
      treeOf({ ...BALLAST, "a/c/d": "d\n", "e/b": "b\n" }),
    ]);
    for (const commit of scratch.story) {
      expect((await lookInto(scratch, commit)).wrong).toEqual([]);
      expect(differences(untouched, readCheckout(outside))).toEqual([]);
    }
    expect(readFileSync(join(outside, "b"), "utf8")).toBe("canary\n");
  },
);

test.skipIf(!isRoot)(
  "an edit of the same size right after the workspace was made is seen, even with its time put back",
  async () => {
    const texts = ["one\n", "two\n", "six\n", "ten\n", "one\n", "two\n"];
    const trees = texts.map((text) => treeOf({ ...BALLAST, "a.txt": text }));
    const { git, mirror, story } = await scratchStory(trees);
    const edit = "echo 999 > a.txt";
    const hidden = `touch -r a.txt was; ${edit}; touch -r was a.txt; rm was`;
    for (const [number, commit] of story.entries()) {
      const workspace = await git.workspaces.createAt(mirror, commit, { name: "edit", owner });
      const script = `${number % 3 === 0 ? edit : hidden}; git status --short`;
      const { stdout } = await workspace.run(["sh", "-c", script]);
      expect(stdout.toString()).toBe(" M a.txt\n");
      await workspace.remove();
    }
  },
);

test.skipIf(!isRoot)(
  "the first git status in a large workspace writes nothing either",
  async () => {
    const many = Object.fromEntries(
      Array.from({ length: 2100 }, (_, number) => [`f/${number % 30}/${number}`, `${number}\n`]),
    );
    const scratch = await scratchStory([treeOf(many), treeOf({ ...many, "f/0/0": "changed\n" })]);
    for (const [number, commit] of scratch.story.entries()) {
      expect(await lookInto(scratch, commit)).toEqual({ wrong: [], layers: number + 1 });
    }
  },
);

test.skipIf(!isRoot)(
  "a change that makes the tree larger than allowed is refused as a whole checkout would be",
  async () => {
    const limits = { files: 42, bytes: 400_000 };
    const scratch = await scratchStory(
      [
        treeOf(BALLAST),
        treeOf({ ...BALLAST, a: "a\n", b: "b\n", c: "c\n" }),
        treeOf({ ...BALLAST, a: "a".repeat(300_000) }),
        treeOf({ ...BALLAST, a: "a\n" }),
      ],
      { limits },
    );
    const { git, mirror, story } = scratch;
    const outcomes: unknown[] = [];
    for (const commit of story) {
      outcomes.push(
        await git.templates.get(mirror, commit).then(
          ({ layers }) => layers.length,
          (error) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual([1, "too-large", "too-large", 2]);
  },
);
