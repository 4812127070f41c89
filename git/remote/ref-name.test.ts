// Ref names are accepted exactly as git accepts them, but for a leading dash.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { isRefName, refName } from "./ref-name.ts";

function gitAccepts(name: string): boolean {
  if (name.includes("\0")) return false; // cannot be an argument
  const args = ["check-ref-format", "--allow-onelevel", name];
  return spawnSync("git", args, { env: { PATH: process.env["PATH"] } }).status === 0;
}

const NAMES = [
  ...["main", "feature/x", "refs/pull/7/head", "v1.2.3", "addon@matrix", "a+b,c#d", "ünï", "日本"],
  ...[
    "",
    "/",
    "a/",
    "/a",
    "a//b",
    ".",
    "..",
    "a..b",
    ".a",
    "a/.b",
    "a.",
    "a.lock",
    "a.lock/b",
    "@",
  ],
  ...[
    "a@{b",
    "@{",
    "a b",
    "a~b",
    "a^b",
    "a:b",
    "a?b",
    "a*b",
    "a[b",
    "a\\b",
    "a\tb",
    "a\x7fb",
    "a\nb",
  ],
  ...[
    "a.lockx",
    "x.lock.y",
    "a/b.lock",
    "HEAD",
    "refs/heads/main",
    "{",
    "}",
    "a@",
    "@a",
    "a@}",
    "''",
  ],
];

test.each(NAMES)("'%s' as git sees it", (name) => {
  expect(isRefName(name)).toBe(gitAccepts(name));
});

test("made-up names, as git sees them", () => {
  const random = seededRandom(7);
  const pieces = [
    "a",
    "b/",
    "/",
    ".",
    "..",
    "@",
    "{",
    "@{",
    ".lock",
    "~",
    " ",
    ":",
    "x",
    "é",
    "\x01",
    "*",
  ];
  const names = Array.from({ length: 300 }, () =>
    Array.from({ length: 1 + random.below(5) }, () => pieces[random.below(pieces.length)]).join(""),
  );
  const wrong = names.filter((name) => isRefName(name) !== gitAccepts(name));
  expect(wrong).toEqual([]);
});

test.each(["-", "--upload-pack=touch x", "-oProxyCommand=x"])("'%s' could be an option", (name) => {
  expect(isRefName(name)).toBe(false);
  expect(() => refName(name)).toThrow("not a valid ref name");
});
