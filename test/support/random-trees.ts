// A history of small trees in which everything is replaced by everything sooner or later.
import type { Tree, TreeEntry } from "./import-commits.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Few, so that files, directories, links and submodules get in each other's way; and some that trip careless programs. */
const NAMES = [
  ...["a", "b", "c", "a.b", "A", "-x", "with space", "*", "[a]", "?", ":(top)a", "!a", "#a"],
  ...["tab\tname", "new\nline", "back\\slash", 'quo"te', "caf\u00c3\u00a9", "bad\u00ff\u0080byte"],
];
const TARGETS = ["a", "../..", "/tmp", "b/c", "nowhere", "../../../../etc/passwd", "."];
/** How files are written; what they hold need not be as the rules would have it. */
const ATTRIBUTES = [
  "* text=auto\n",
  "* text\n",
  "* text eol=crlf\n",
  "* text=auto eol=crlf\n",
  "* -text\n",
  "* ident\n",
  "* filter=evil diff=evil merge=evil\n",
  "a text eol=crlf\nb -text\n",
];
const DEPTH_MAX = 3;

export function randomTrees(random: SeededRandom, count: number): Tree[] {
  const trees: Tree[] = [fullTree(random)];
  while (trees.length < count) {
    const tree = new Map(trees.at(-1));
    if (random.below(12) === 0) {
      trees.push(trees[random.below(trees.length)] ?? tree); // as it once was
      continue;
    }
    for (let changes = random.below(6); changes >= 0; changes--) change(tree, random);
    trees.push(tree);
  }
  return trees;
}

/** Large enough that a few changes are a small share of it: then a delta is worth while. */
function fullTree(random: SeededRandom): Map<string, TreeEntry> {
  const tree = new Map<string, TreeEntry>();
  for (let number = 0; number < 60; number++) {
    tree.set(`ballast/${number % 7}/file-${number}`, randomFile(random));
  }
  for (let number = 0; number < 20; number++) put(tree, randomPath(random), randomEntry(random));
  return tree;
}

function change(tree: Map<string, TreeEntry>, random: SeededRandom): void {
  const paths = [...tree.keys()].filter((path) => !path.endsWith(".gitattributes")); // git wants files there
  const some = pick(paths, random) ?? "a";
  const entry = tree.get(some);
  const kind = random.below(10);
  if (random.below(25) === 0) put(tree, attributesPath(random), randomAttributes(random));
  else if (kind < 3) put(tree, randomPath(random), randomEntry(random));
  else if (kind < 5) put(tree, some, randomEntry(random));
  else if (kind === 5) tree.delete(some);
  else if (kind === 6) deleteBelow(tree, some.split("/").slice(0, -1).join("/"));
  else if (kind === 7) put(tree, `${some}/${pick(NAMES, random)}`, randomEntry(random));
  else if (kind === 8) move(tree, some, randomPath(random));
  else if (entry?.mode === "100644") tree.set(some, { ...entry, mode: "100755" });
  else if (entry?.mode === "100755") tree.set(some, { ...entry, mode: "100644" });
}

/** Whatever stands in the way goes: a file above it, or everything below it. */
function put(tree: Map<string, TreeEntry>, path: string, entry: TreeEntry): void {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) tree.delete(parts.slice(0, depth).join("/"));
  deleteBelow(tree, path);
  tree.set(path, entry);
}

function deleteBelow(tree: Map<string, TreeEntry>, path: string): void {
  if (path === "" || path.startsWith("ballast")) return;
  for (const other of [...tree.keys()]) if (other.startsWith(`${path}/`)) tree.delete(other);
}

function move(tree: Map<string, TreeEntry>, from: string, to: string): void {
  const entry = tree.get(from);
  if (entry === undefined) return;
  tree.delete(from);
  put(tree, to, entry);
}

function randomPath(random: SeededRandom): string {
  const depth = 1 + random.below(DEPTH_MAX);
  return Array.from({ length: depth }, () => pick(NAMES, random)).join("/");
}

function randomEntry(random: SeededRandom): TreeEntry {
  const kind = random.below(10);
  if (kind < 2) return { mode: "120000", content: pick(TARGETS, random) ?? "a" };
  if (kind < 3) {
    return { mode: "160000", commit: String(random.below(9)).padStart(40, "1") };
  }
  return randomFile(random);
}

function attributesPath(random: SeededRandom): string {
  return random.below(2) === 0 ? ".gitattributes" : `${pick(NAMES, random)}/.gitattributes`;
}

function randomAttributes(random: SeededRandom): TreeEntry {
  return { mode: "100644", content: pick(ATTRIBUTES, random) ?? "" };
}

/** Often of the same size as another: only its bytes tell. */
function randomFile(random: SeededRandom): TreeEntry {
  const ends = ["\n", "\r\n", "\0\n", "", "$Id$\n"];
  const word = String.fromCharCode(97 + random.below(26));
  const content = `${word.repeat(1 + random.below(2) * 4000)}${pick(ends, random)}`.repeat(2);
  return { mode: random.below(4) === 0 ? "100755" : "100644", content };
}

function pick<T>(from: readonly T[], random: SeededRandom): T | undefined {
  return from[random.below(from.length)];
}
