// Parallel work on one commit comes together in order: nothing reverts anything, and what conflicts is told, not lost.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type TreeEntry, treeOf } from "../../test/support/import-commits.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { type ResultScene, resultScene } from "../../test/support/result-scene.ts";
import { commitId } from "../remote/commit-id.ts";

type Files = Record<string, TreeEntry | string>;
type Changes = Record<string, TreeEntry | string | undefined>;

const lines = (...texts: string[]) => `${texts.join("\n")}\n`;
const TEN = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
const withLine = (at: number, text: string) => lines(...TEN.with(at - 1, text));
const REF = "refs/croft/runs/r/merge";

const inResults = (scene: ResultScene, ...args: string[]) =>
  plainGit(["--git-dir", scene.gitDir, ...args]);

/** Each branch changes some files of the base; undefined takes one away. */
async function integrate(scene: ResultScene, base: Files, branches: Record<string, Changes>) {
  const trees = Object.entries(branches).map(([id, changes]) => {
    const files: Changes = { ...base, ...changes };
    const there = Object.entries(files).filter(([, entry]) => entry !== undefined);
    return [id, [treeOf(Object.fromEntries(there) as Files)]] as const;
  });
  const recorded = await scene.record(treeOf(base), Object.fromEntries(trees));
  const made = await scene.git.results.integrate({ ...scene.holder, ...recorded, ref: REF });
  return { ...recorded, made };
}

test("of eight branches of which two conflict, six come in, in order; all eight stay reachable", async () => {
  const scene = await resultScene();
  const base: Files = { list: lines(...TEN), kept: "kept\n" };
  const branches: Record<string, Files> = {};
  for (let number = 1; number <= 6; number++) {
    branches[`b${number}`] = { [`file-${number}`]: `${number}\n` };
  }
  const made = await integrate(scene, base, {
    ...{ b1: { ...branches["b1"], list: withLine(1, "one") }, b2: branches["b2"] ?? {} },
    x1: { list: withLine(1, "another one") },
    ...{ b3: { ...branches["b3"], list: withLine(10, "ten") }, b4: branches["b4"] ?? {} },
    x2: { list: undefined },
    ...{ b5: branches["b5"] ?? {}, b6: branches["b6"] ?? {} },
  });
  expect(made.made.integrated).toEqual(["b1", "b2", "b3", "b4", "b5", "b6"]);
  expect(made.made.conflicts).toEqual([
    { id: "x1", files: ["list"], reason: "contents" },
    { id: "x2", files: ["list"], reason: "modify/delete" },
  ]);
  expect(await inResults(scene, "rev-parse", REF)).toBe(made.made.commit);
  expect(await inResults(scene, "show", `${REF}:list`)).toBe(
    lines(...TEN.with(0, "one").with(9, "ten")).trimEnd(),
  );
  const told = await inResults(
    scene,
    "log",
    "--first-parent",
    "--format=%s",
    `${made.base}..${REF}`,
  );
  expect(told.split("\n")).toEqual([6, 5, 4, 3, 2, 1].map((number) => `Merge b${number}`));
  for (const { commit } of made.commits) {
    expect(await inResults(scene, "for-each-ref", "--count=1", "--contains", commit)).not.toBe("");
  }
  expect(await inResults(scene, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(readdirSync(join(scene.data, "staging"))).toEqual([]);
});

test("fixes that began at the same commit do not take each other back, though each has the other's old text", async () => {
  const scene = await resultScene();
  const { made } = await integrate(
    scene,
    { a: lines(...TEN), b: "hole\n" },
    {
      one: { a: withLine(2, "fixed"), b: "hole\n" },
      two: { a: withLine(8, "fixed too"), b: "hole\n" },
      three: { b: "closed\n" },
    },
  );
  expect(made.conflicts).toEqual([]);
  expect(await inResults(scene, "show", `${made.commit}:a`)).toBe(
    lines(...TEN.with(1, "fixed").with(7, "fixed too")).trimEnd(),
  );
  expect(await inResults(scene, "show", `${made.commit}:b`)).toBe("closed");
});

test("one without changes, one that is in already and the base itself count as integrated", async () => {
  const scene = await resultScene();
  const base = { a: "a\n" };
  const longer = [treeOf({ a: "b\n" }), treeOf({ a: "c\n" })];
  const recorded = await scene.record(treeOf(base), { all: longer, same: [treeOf(base)] });
  const [all, same] = recorded.commits;
  const earlier = commitId(await inResults(scene, "rev-parse", `${all?.commit}^`));
  const commits = [
    ...recorded.commits,
    { id: "part", commit: earlier },
    { id: "base", commit: recorded.base },
  ];
  const made = await scene.git.results.integrate({
    ...scene.holder,
    base: recorded.base,
    commits,
    ref: REF,
  });
  expect(made).toMatchObject({ integrated: ["all", "same", "part", "base"], conflicts: [] });
  expect(await inResults(scene, "show", `${made.commit}:a`)).toBe("c");
  for (const commit of [all?.commit, same?.commit]) {
    await inResults(scene, "merge-base", "--is-ancestor", commit ?? "", made.commit);
  }
  const none = await scene.git.results.integrate({
    ...scene.holder,
    base: recorded.base,
    commits: [],
    ref: REF,
  });
  expect(none).toEqual({ commit: recorded.base, integrated: [], conflicts: [] });
});

test("the same again gives the same commit: a second try doubles nothing", async () => {
  const scene = await resultScene();
  const base = { a: "a\n" };
  const recorded = await scene.record(treeOf(base), {
    ...{ one: [treeOf({ ...base, one: "1" })], two: [treeOf({ ...base, two: "2" })] },
  });
  const identity = { name: "Ada", email: "ada@example.org" };
  const request = { ...scene.holder, ...recorded, identity, ref: REF };
  const [first, second] = await Promise.all([
    scene.git.results.integrate(request),
    scene.git.results.integrate(request),
  ]);
  expect(second).toEqual(first);
  expect(await inResults(scene, "log", "-1", "--format=%an <%ae>", first.commit)).toBe(
    "Ada <ada@example.org>",
  );
});

describe("conflicts", () => {
  const link = (content: string): TreeEntry => ({ mode: "120000", content });
  const submodule = (digit: string): TreeEntry => ({ mode: "160000", commit: digit.repeat(40) });
  const binary = (text: string) => ({ mode: "100644" as const, content: Buffer.from(`\0${text}`) });
  const text = lines(...TEN);
  type Case = readonly [base: Files, one: Changes, two: Changes, told: readonly string[]];
  const CASES: Record<string, Case> = {
    "one file renamed to two names": [
      { old: text },
      { old: undefined, left: text },
      { old: undefined, right: text },
      ["left", "old", "right"],
    ],
    "two files renamed to one name": [
      { x: lines("x", text), y: lines("y", text) },
      { x: undefined, new: lines("x", text) },
      { y: undefined, new: lines("y", text) },
      ["new"],
    ],
    "changed here, gone there": [{ a: text }, { a: withLine(1, "x") }, { a: undefined }, ["a"]],
    "renamed here, gone there": [{ a: text }, { a: undefined, b: text }, { a: undefined }, ["b"]],
    "a binary file": [{ a: binary("base") }, { a: binary("one") }, { a: binary("two") }, ["a"]],
    "made in both": [{ b: "b" }, { a: "one\n" }, { a: "two\n" }, ["a"]],
    "a link and a file": [{ a: text }, { a: link("one") }, { a: withLine(3, "x") }, ["a"]],
    "two links": [{ a: link("base") }, { a: link("one") }, { a: link("two") }, ["a"]],
    "a submodule": [{ a: submodule("1") }, { a: submodule("2") }, { a: submodule("3") }, ["a"]],
    "a submodule and a file": [{ b: "b" }, { a: submodule("2") }, { a: "file\n" }, ["a"]],
    "a directory and a file": [{ b: "b" }, { "a/b": "inside\n" }, { a: "file\n" }, ["a"]],
    "other letters only": [
      { Name: text },
      { Name: undefined, NAME: text },
      { Name: undefined, name: text },
      ["NAME", "Name", "name"],
    ],
    "odd names": [
      { 'q"u\n\t\u00e9': "a\n" },
      { 'q"u\n\t\u00e9': "b\n" },
      { 'q"u\n\t\u00e9': "c\n" },
      ['q"u\n\t\u00e9'],
    ],
  };

  test("are told with their files, whatever they are about", async () => {
    const scene = await resultScene();
    for (const [what, [base, one, two, files]] of Object.entries(CASES)) {
      const { made, commits } = await integrate(
        scene,
        { ...base, more: "more\n" },
        {
          ...{ one, two, other: { other: "other\n" } },
        },
      );
      expect(made.integrated, what).toEqual(["one", "other"]);
      expect(
        made.conflicts.map(({ id }) => id),
        what,
      ).toEqual(["two"]);
      const told = made.conflicts[0]?.files ?? [];
      for (const file of files)
        expect(
          told.some((path) => path.startsWith(file)),
          `${what}: ${told}`,
        ).toBe(true);
      expect(commits.length).toBe(3);
    }
    expect(await inResults(scene, "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("of modes are none: one makes it executable, another changes it", async () => {
    const scene = await resultScene();
    const { made } = await integrate(
      scene,
      { a: text },
      {
        ...{ one: { a: { mode: "100755", content: text } }, two: { a: withLine(1, "x") } },
      },
    );
    expect(made.conflicts).toEqual([]);
    expect(await inResults(scene, "ls-tree", made.commit, "a")).toMatch(/^100755/);
  });

  test("are as .gitattributes has them: what is not to be merged is not, lists grow from both sides", async () => {
    const scene = await resultScene();
    const base = {
      "sub/.gitattributes": "lock -merge\nlog merge=union\nevil merge=evil filter=evil\n",
      "sub/lock": text,
      "sub/log": text,
      "sub/evil": text,
    };
    const { made } = await integrate(scene, base, {
      one: {
        "sub/lock": withLine(1, "x"),
        "sub/log": lines(...TEN, "one"),
        "sub/evil": withLine(1, "x"),
      },
      two: { "sub/log": lines(...TEN, "two"), "sub/evil": withLine(9, "y") },
      three: { "sub/lock": withLine(9, "y") },
    });
    expect(made).toMatchObject({
      integrated: ["one", "two"],
      conflicts: [{ id: "three", files: ["sub/lock"] }],
    });
    expect(await inResults(scene, "show", `${made.commit}:sub/log`)).toBe(
      lines(...TEN, "one", "two").trimEnd(),
    );
  });
});

test("unrelated history is left out; a commit of another owner, a file and nonsense are refused", async () => {
  const scene = await resultScene();
  const { base, commits } = await scene.record(treeOf({ a: "a\n" }), {
    one: [treeOf({ a: "b\n" })],
  });
  const lone = await scene.record(treeOf({ z: "z\n" }), { two: [treeOf({ z: "y\n" })] });
  const request = { ...scene.holder, base, ref: REF };
  const mixed = await scene.git.results.integrate({
    ...request,
    commits: [...lone.commits, ...commits],
  });
  expect(mixed).toMatchObject({ integrated: ["one"], conflicts: [{ id: "two", files: [] }] });
  expect(mixed.conflicts[0]?.reason).toContain("no history in common");
  const other = { ...request, owner: "app:2", commits };
  await expect(scene.git.results.integrate(other)).rejects.toMatchObject({
    code: "invalid-request",
  });
  const blob = commitId(await inResults(scene, "rev-parse", `${base}:a`));
  for (const wrong of [
    { ...request, commits: [{ id: "blob", commit: blob }] },
    { ...request, commits: [...commits, ...commits] },
    { ...request, commits, ref: "refs/heads/main" },
    { ...request, commits, ref: "refs/croft/../x" },
  ]) {
    await expect(scene.git.results.integrate(wrong)).rejects.toMatchObject({
      code: "invalid-request",
    });
  }
});

test("a hundred branches on two thousand files, in one go", async () => {
  const scene = await resultScene();
  const files: Files = {};
  for (let number = 0; number < 2000; number++) {
    files[`d${number % 100}/f${number}`] = `${number}\n`;
  }
  const branches: Record<string, Files> = {};
  for (let number = 0; number < 100; number++) {
    branches[`b${number}`] = {
      [`d${number}/f${number}`]: `changed ${number}\n`,
      [`new/${number}`]: "new\n",
    };
  }
  const { made } = await integrate(scene, files, branches);
  expect(made.conflicts).toEqual([]);
  expect(made.integrated.length).toBe(100);
  const names = await inResults(scene, "ls-tree", "--name-only", `${made.commit}:new`);
  expect(names.split("\n").length).toBe(100);
}, 240_000);
