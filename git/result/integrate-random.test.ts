// Whatever is changed in parallel, it comes together as `git merge` in a checkout brings it together.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TreeEntry } from "../../test/support/import-commits.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { type Recorded, resultScene } from "../../test/support/result-scene.ts";
import { type SeededRandom, seededRandom } from "../../test/support/seeded-random.ts";

const ROUNDS = 12;
const BRANCHES = 5;
const PATHS = ["a", "b", "c/a", "c/b", "c/d/a", "e/a", "e/b", "odd name", "é"];
const ATTRIBUTES = [
  "a -merge\n",
  "b merge=union\n",
  "*.bin binary\n",
  "c/** merge=binary\n",
  "* text=auto\n",
];

function randomEntry(random: SeededRandom): TreeEntry {
  const kind = random.below(12);
  if (kind === 0) return { mode: "120000", content: random.below(2) === 0 ? "a" : "../x" };
  if (kind === 1) return { mode: "100644", content: Buffer.from(`\0${random.below(4)}`) };
  const content = Array.from({ length: 12 }, (_, line) => `line ${line} ${random.below(3)}\n`);
  return { mode: kind === 2 ? "100755" : "100644", content: content.join("") };
}

function put(tree: Map<string, TreeEntry>, path: string, entry: TreeEntry): void {
  const isInTheWay = (other: string) =>
    path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
  for (const other of [...tree.keys()].filter(isInTheWay)) tree.delete(other);
  tree.set(path, entry);
}

function change(tree: Map<string, TreeEntry>, random: SeededRandom): void {
  const path =
    pick(
      [...tree.keys()].filter((name) => name !== ".gitattributes"),
      random,
    ) ?? "a";
  const entry = tree.get(path);
  const kind = random.below(12);
  if (kind < 6 && entry !== undefined && entry.mode !== "160000" && entry.mode !== "120000") {
    const lines = entry.content.toString().split("\n");
    lines[random.below(lines.length)] = `changed ${random.below(1000)}`;
    tree.set(path, { ...entry, content: lines.join("\n") });
  } else if (kind < 8 && entry !== undefined) {
    tree.delete(path);
    put(tree, `${pick(["a", "c", "moved"], random)}/${random.below(4)}`, entry);
  } else if (kind === 8) tree.delete(path);
  else if (kind === 9 && entry?.mode === "100644") tree.set(path, { ...entry, mode: "100755" });
  else if (kind === 10)
    put(tree, pick(PATHS, random) ?? "a", {
      mode: "160000",
      commit: String(1 + random.below(3)).repeat(40),
    });
  else put(tree, pick(PATHS, random) ?? "a", randomEntry(random));
}

function pick<T>(list: readonly T[], random: SeededRandom): T | undefined {
  return list[random.below(list.length)];
}

const bytes = (tree: Map<string, TreeEntry>) =>
  new Map([...tree].map(([path, entry]) => [Buffer.from(path).toString("latin1"), entry]));

/** In a checkout, by hand, as a developer would. */
async function mergeByHand(checkout: string, { base, commits }: Recorded) {
  await plainGit(["checkout", "--quiet", "--force", "--detach", base], checkout);
  await plainGit(["clean", "-ffdxq"], checkout);
  const integrated: string[] = [];
  for (const { id, commit } of commits) {
    try {
      await plainGit(["merge", "--quiet", "--no-ff", "--no-edit", commit], checkout);
      integrated.push(id);
    } catch {
      await plainGit(["reset", "--quiet", "--hard"], checkout);
      await plainGit(["clean", "-ffdxq"], checkout);
    }
  }
  return { integrated, tree: await plainGit(["rev-parse", "HEAD^{tree}"], checkout) };
}

test("random changes come together as in a checkout", async () => {
  const scene = await resultScene();
  const checkout = join(scene.root, "checkout");
  await plainGit(["init", "--quiet", checkout]);
  const outcomes = { integrated: 0, conflicts: 0 };
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = seededRandom(seed);
    const base = new Map<string, TreeEntry>();
    for (const path of PATHS) put(base, path, randomEntry(random));
    if (random.below(2) === 0)
      base.set(".gitattributes", { mode: "100644", content: pick(ATTRIBUTES, random) ?? "" });
    const branches = Array.from({ length: BRANCHES }, (_, number) => {
      const tree = new Map(base);
      for (let changes = 1 + random.below(3); changes > 0; changes--) change(tree, random);
      return [`b${number}`, [bytes(tree)]] as const;
    });
    const recorded = await scene.record(bytes(base), Object.fromEntries(branches));
    const made = await scene.git.results.integrate({
      ...scene.holder,
      ...recorded,
      ref: "refs/croft/random",
    });
    await plainGit(["fetch", "--quiet", scene.gitDir, "+refs/croft/*:refs/croft/*"], checkout);
    const byHand = await mergeByHand(checkout, recorded);
    const tree = await plainGit(["--git-dir", scene.gitDir, "rev-parse", `${made.commit}^{tree}`]);
    expect({ seed, integrated: made.integrated, tree }).toEqual({ seed, ...byHand });
    expect(made.integrated.length + made.conflicts.length).toBe(BRANCHES);
    outcomes.integrated += made.integrated.length;
    outcomes.conflicts += made.conflicts.length;
  }
  expect(outcomes.integrated).toBeGreaterThan(ROUNDS);
  expect(outcomes.conflicts).toBeGreaterThan(ROUNDS / 5);
}, 240_000);
