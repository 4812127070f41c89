// Patterns and ignore files are read as git reads them, and nothing that is written in one can keep us busy.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type SeededRandom, seededRandom } from "../../test/support/seeded-random.ts";
import { runGit } from "../command/run-git.ts";
import { IgnoreFile } from "./ignore-file.ts";
import { PathFilters, patternFault, requireFilters } from "./path-filters.ts";

const selects = (include: string, path: string) =>
  new PathFilters({ include: [include] }).selects(Buffer.from(path));

test.each([
  ["docs/**", "docs/a", true],
  ["docs/**", "docs/a/b.md", true],
  ["docs/**", "docs", false],
  ["docs/**", "other/docs/a", false],
  ["*.md", "a.md", true],
  ["*.md", "x/a.md", false],
  ["**/*.md", "a.md", true],
  ["**/*.md", "x/y/a.md", true],
  ["**/*.md", ".github/.x.md", true],
  ["**", "any/thing", true],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["a/**/b", "a/x/y/c", false],
  ["**/*.{md,mdx}", "a/b.mdx", true],
  ["{src,test}/{a,b{1,2}}.ts", "test/b2.ts", true],
  ["{src,test}/{a,b{1,2}}.ts", "test/b3.ts", false],
  ["a{b}c", "a{b}c", true],
  ["\\{a,b}", "{a,b}", true],
  ["[a-c]?.txt", "bé.txt", true],
  ["[!a-c].txt", "😀.txt", true],
  ["[[:digit:]]", "7", true],
  ["[]x]", "]", true],
  ["+(a|b)", "a", false],
  ["+(a|b)", "+(a|b)", true],
  ["a**b", "axxb", true],
  ["a**b", "a/b", false],
])("%s on %s: %s", (pattern, path, expected) => {
  expect(selects(pattern, path)).toBe(expected);
});

test("what is excluded is not included, and faults are told by name", () => {
  const filters = new PathFilters({ include: ["docs/**"], exclude: ["**/*.png"] });
  expect(filters.selects(Buffer.from("docs/a.md"))).toBe(true);
  expect(filters.selects(Buffer.from("docs/a.png"))).toBe(false);
  expect(patternFault("[a")).toContain("bracket");
  expect(patternFault("!a")).toContain("exclude");
  expect(patternFault("a".repeat(257))).toContain("longer");
  expect(patternFault("{a,b}".repeat(20))).toContain("alternatives");
  expect(() => requireFilters({ include: ["ok", "a/"] })).toThrow("pattern 'a/' ends with '/'");
  expect(() => requireFilters({ exclude: Array(101).fill("a") })).toThrow("more than 100");
});

test("patterns that keep regular expressions busy for ever are done at once", () => {
  const names = ["a".repeat(255), `${"a/".repeat(2000)}a`, "a".repeat(4096)];
  const patterns = ["*a".repeat(120), "**/".repeat(80), "**/a/".repeat(50), `${"*?".repeat(60)}b`];
  for (const name of names) {
    for (const pattern of patterns) expect(selects(`${pattern}b`, name)).toBe(false);
    const ignore = new IgnoreFile(patterns.map((pattern) => `${pattern}b`).join("\n"));
    new PathFilters({}, ignore).selects(Buffer.from(name));
  }
});

test("an ignore file that costs too much is refused", () => {
  const rules = Array.from({ length: 2000 }, (_, index) => `*a*${"a".repeat(400)}${index}b`);
  const filters = new PathFilters({}, new IgnoreFile(rules.join("\n")));
  const path = Buffer.from("a".repeat(4000));
  expect(() => {
    for (let count = 0; count < 1000; count++) filters.selects(path);
  }).toThrow(/take too long/);
  expect(() => new IgnoreFile("a\n".repeat(2001))).toThrow("more than 2000");
  expect(() => new IgnoreFile("a".repeat(1025))).toThrow("line 1 is longer");
});

/** Rules and paths of few letters, so that they often meet. */
function randomRule(random: SeededRandom): string {
  const pieces = ["a", "b", "ab", "*", "**", "?", "[ab]", "[!a]", "a*", "*b", "\\a", "a ", "\\ "];
  const depth = 1 + random.below(3);
  const body = Array.from({ length: depth }, () => pieces[random.below(pieces.length)]).join("/");
  const head = ["", "", "", "/", "!", "!/", "#", "\\!", "**/"][random.below(9)];
  return head + body + ["", "", "/", "/**", " ", "\r"][random.below(6)];
}

test("random ignore files hide what git hides", async () => {
  const root = await scratchDirectory();
  await git(["init", "--quiet", root]);
  const random = seededRandom(7);
  const names = ["a", "b", "ab", "ba", "a ", "!a", "#a", "aab"];
  const path = () =>
    Array.from({ length: 1 + random.below(4) }, () => names[random.below(names.length)]).join("/");
  mkdirSync(join(root, "empty"));
  for (let round = 0; round < 60; round++) {
    const text = Array.from({ length: 1 + random.below(6) }, () => randomRule(random)).join("\n");
    const paths = [...new Set(Array.from({ length: 150 }, path))];
    writeFileSync(join(root, ".gitignore"), text);
    const { stdout } = await runGit(["check-ignore", "--no-index", "--stdin", "-z"], {
      ...{ gitDir: join(root, ".git"), workTree: root, cwd: root, answers: [1] },
      input: paths.map((each) => `${each}\0`).join(""),
    });
    const hidden = stdout.toString("utf8").split("\0").slice(0, -1);
    const ignore = new IgnoreFile(text);
    const ours = paths.filter((each) => ignore.hides(each.split("/"), { spend: () => {} }));
    expect({ text, hidden: ours.sort() }).toEqual({ text, hidden: hidden.sort() });
  }
});
