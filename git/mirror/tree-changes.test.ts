// Whoever applies the changes in order to what it knew has what the new commit has, whatever is in the trees.
import { join } from "node:path";
import { expect, test } from "vitest";
import { importCommits, type Tree, treeOf } from "../../test/support/import-commits.ts";
import { git } from "../../test/support/make-repository.ts";
import { randomTrees } from "../../test/support/random-trees.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { findFile, listFiles } from "./list-files.ts";
import { type Comparison, type FileChange, treeChanges } from "./tree-changes.ts";

async function treeScene(...trees: readonly Tree[]) {
  const gitDir = join(await scratchDirectory(), "app.git");
  await git(["init", "--quiet", "--bare", gitDir]);
  const commits = await importCommits(gitDir, "main", trees);
  return { gitDir, commits, at: (index: number) => commits[index] ?? fail(`no commit ${index}`) };
}

function fail(message: string): never {
  throw new Error(message);
}

async function changesOf(place: { gitDir: string }, comparison: Comparison): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for await (const change of treeChanges(place, comparison)) changes.push(change);
  return changes;
}

const shortly = (changes: readonly FileChange[]) =>
  changes.map((change) => {
    const previous = change.change === "deleted" ? undefined : change.previousPath;
    return `${change.change} ${change.path}${previous === undefined ? "" : ` from ${previous}`}`;
  });

const file = (content: string) => ({ mode: "100644", content }) as const;
const LONG = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join("");

test("each kind of change is told as such, with mode, blob and size; what is gone comes first", async () => {
  const sub = { mode: "160000", commit: "1".repeat(40) } as const;
  const { at, ...place } = await treeScene(
    treeOf({
      stays: "x",
      changes: "1",
      goes: "g",
      mode: "m",
      "a/b": "file",
      becomes: "t",
      moved: LONG,
    }),
    treeOf({
      ...{ stays: "x", changes: "22", "goes/inside": "now", a: "file now", comes: "", sub },
      mode: { mode: "100755", content: "m" },
      becomes: { mode: "120000", content: "stays" },
      "deep/moved": `${LONG}and more\n`,
    }),
  );
  const changes = await changesOf(place, { from: { commit: at(0) }, to: { commit: at(1) } });
  expect(shortly(changes)).toEqual([
    ...["deleted a/b", "deleted goes", "deleted moved"],
    ...["created a", "updated becomes", "updated changes", "created comes"],
    ...["created deep/moved from moved", "created goes/inside", "updated mode", "created sub"],
  ]);
  expect(changes.find(({ path }) => path.equals(Buffer.from("changes")))).toMatchObject({
    ...{
      mode: "100644",
      size: 2,
      blob: await git(["--git-dir", place.gitDir, "rev-parse", "main:changes"]),
    },
  });
  expect(changes.at(-1)).toMatchObject({ mode: "160000", size: 0, blob: sub.commit });
});

test("a first comparison has every file; the same commit none", async () => {
  const { at, ...place } = await treeScene(treeOf({ a: "1", "b/c": "22" }));
  expect(await changesOf(place, { to: { commit: at(0) } })).toMatchObject([
    { change: "created", size: 1 },
    { change: "created", size: 2 },
  ]);
  expect(await changesOf(place, { from: { commit: at(0) }, to: { commit: at(0) } })).toEqual([]);
});

test("what the filters or the ignore file hide from now on is deleted, and created when it comes back", async () => {
  const files = { "docs/a.md": "a", "docs/b.png": "b", "src/c.ts": "c" };
  const { at, ...place } = await treeScene(
    treeOf(files),
    treeOf({ ...files, ".croftignore": "*.png\n/src/\n" }),
    treeOf({ ...files, "docs/a.md": "changed" }),
  );
  const between = async (from: number, to: number, before?: string[], after?: string[]) =>
    shortly(
      await changesOf(place, {
        from: { commit: at(from), filters: { include: before } },
        to: { commit: at(to), filters: { include: after } },
      }),
    );
  expect(await between(0, 1)).toEqual([
    ...["deleted docs/b.png", "deleted src/c.ts", "created .croftignore"],
  ]);
  expect(await between(1, 2)).toEqual([
    "deleted .croftignore",
    ...["updated docs/a.md", "created docs/b.png", "created src/c.ts"],
  ]);
  expect(await between(0, 0, ["docs/**"], ["src/**"])).toEqual([
    ...["deleted docs/a.md", "deleted docs/b.png", "created src/c.ts"],
  ]);
  expect(await between(0, 2, ["**/*.png"], ["**/*.png"])).toEqual([]);
  const { files: page, hasMore } = await listFiles(place, { commit: at(1), limit: 1 });
  expect([page.map(({ path }) => String(path)), hasMore]).toEqual([[".croftignore"], true]);
  const after = page[0]?.path;
  const rest = await listFiles(place, { commit: at(1), limit: 5, after });
  expect(rest).toMatchObject({ files: [{ size: 1, mode: "100644" }], hasMore: false });
  expect(await findFile(place, { commit: at(1) }, Buffer.from("docs/b.png"))).toBeUndefined();
  expect(await findFile(place, { commit: at(0) }, Buffer.from("docs/b.png"))).toMatchObject({
    size: 1,
  });
});

test("a hidden name is not told as the previous one of a shown file", async () => {
  const { at, ...place } = await treeScene(
    treeOf({ "secret/x": LONG, "docs/y": LONG.toUpperCase() }),
    treeOf({ "docs/x": LONG, "docs/z": LONG.toUpperCase() }),
  );
  const filters = { include: ["docs/**"] };
  const view = (index: number) => ({ commit: at(index), filters });
  expect(shortly(await changesOf(place, { from: view(0), to: view(1) }))).toEqual([
    ...["deleted docs/y", "created docs/x", "created docs/z from docs/y"],
  ]);
});

test("an ignore file that cannot be used is told; a link of its name is none", async () => {
  const link = { mode: "120000", content: "*" } as const;
  const { at, ...place } = await treeScene(
    treeOf({ a: "1", ".croftignore": link }),
    treeOf({ a: "1", ".croftignore": "x\n".repeat(200_000) }),
    treeOf({ a: "1", ".croftignore": "x\n".repeat(3000) }),
  );
  expect(await changesOf(place, { to: { commit: at(0) } })).toHaveLength(2);
  for (const index of [1, 2]) {
    await expect(changesOf(place, { to: { commit: at(index) } })).rejects.toMatchObject({
      code: "rejected",
      message: expect.stringContaining("'.croftignore' cannot be used"),
    });
  }
});

test("many moves at once are found by their content, and a reader may leave in the middle", async () => {
  const names = Array.from({ length: 3000 }, (_, index) => index);
  const { at, ...place } = await treeScene(
    new Map(names.map((name) => [`old/${name}`, file(`content ${name}`)])),
    new Map(names.map((name) => [`new/${name}`, file(`content ${name}`)])),
  );
  const comparison = { from: { commit: at(0) }, to: { commit: at(1) } };
  const changes = await changesOf(place, comparison);
  expect(changes.filter(({ change }) => change === "deleted")).toHaveLength(3000);
  expect(changes.filter((each) => "previousPath" in each)).toHaveLength(3000);
  for await (const _ of treeChanges(place, comparison)) break;
  const ending = new AbortController();
  const stream = treeChanges(place, { ...comparison, signal: ending.signal });
  await stream.next();
  ending.abort();
  await expect(drain(stream)).rejects.toMatchObject({ code: "aborted" });
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

test("random histories: the changes lead from any commit to any other, by any filters", async () => {
  const random = seededRandom(5);
  const { commits, ...place } = await treeScene(...randomTrees(random, 25));
  const patterns = [["a/**"], ["**/b"], ["*"], ["**/*a*", "b/**"], []];
  const pick = () => ({
    commit: commits[random.below(commits.length)] ?? fail("none"),
    filters: { include: patterns[random.below(5)], exclude: patterns[random.below(5)] },
  });
  for (let round = 0; round < 60; round++) {
    const from = pick();
    const to = random.below(2) === 0 ? pick() : { ...pick(), filters: from.filters };
    const known = await listed(place, from);
    for (const change of await changesOf(place, { from, to })) apply(known, change);
    expect(known).toEqual(await listed(place, to));
  }
});

type View = Comparison["to"];

async function listed(place: { gitDir: string }, view: View): Promise<Map<string, string>> {
  const { files } = await listFiles(place, { ...view, limit: 100_000 });
  return new Map(files.map((each) => [each.path.toString("latin1"), stateOf(each)]));
}

const stateOf = (each: { mode: string; blob: string; size: number }) =>
  `${each.mode} ${each.blob} ${each.size}`;

/** As a careful app does it: nothing is deleted or updated that is not there, nothing created where something is. */
function apply(known: Map<string, string>, change: FileChange): void {
  const path = change.path.toString("latin1");
  expect(known.has(path)).toBe(change.change !== "created");
  const parents = path.split("/").map((_, index, parts) => parts.slice(0, index).join("/"));
  expect(parents.filter((parent) => known.has(parent))).toEqual([]);
  if (change.change === "deleted") known.delete(path);
  else known.set(path, stateOf(change));
}
