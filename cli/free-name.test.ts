// Files that a job made come beside each other, whatever they are called.
import { safeFileName } from "@croft/contract";
import { expect, test } from "vitest";
import { freeName } from "./free-name.ts";

function named(...names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const free = freeName(name, taken);
    taken.add(free.toLowerCase());
    return free;
  });
}

test("the first keeps its name, others get a number", () => {
  expect(named("a.txt", "a.txt", "A.txt", "a.tar.gz", "a.tar.gz")).toEqual([
    ...["a.txt", "a-2.txt", "A-3.txt", "a.tar.gz", "a-2.tar.gz"],
  ]);
});

test("names that become one when they are made harmless stay two files", () => {
  expect(named("a/b", "a\\b", "a_b")).toEqual(["a_b", "a_b-2", "a_b-3"]);
});

test.each([
  ["without an ending", "x".repeat(255), "x".repeat(254)],
  ["with one", `${"é".repeat(150)}.txt`, `${"é".repeat(140)}.txt`],
  ["with a long one", `${"x".repeat(190)}.abcdefgh.txt`, `${"x".repeat(195)}.abcdefgh.txt`],
])("long names, too, %s", (_what, one, other) => {
  const names = named(one, other, one, other);
  expect(new Set(names).size).toBe(4);
  expect(names.map(safeFileName)).toEqual(names); // nothing is left to be changed when it is saved
});
