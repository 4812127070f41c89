// A matrix becomes items with ids that differ, or a sentence that says why not.
import { expect, test } from "vitest";
import { buildMatrix } from "../model/build-matrix.ts";
import { expandMatrix } from "./expand-matrix.ts";
import { slugOf } from "./item-id.ts";

function expand(fields: Parameters<typeof buildMatrix>[0], context = {}) {
  const { items, ...rest } = expandMatrix(buildMatrix(fields), context);
  return items ?? rest;
}

function ids(fields: Parameters<typeof buildMatrix>[0], context = {}) {
  const found = expand(fields, context);
  return "problem" in found
    ? found.problem
    : (found as readonly { id: string }[]).map(({ id }) => id);
}

test("every value with every other, in the order of the file", () => {
  expect(ids({ os: ["linux", "mac"], node: [20, 22] })).toEqual([
    "linux-20",
    "linux-22",
    "mac-20",
    "mac-22",
  ]);
});

test("no values are no items", () => {
  expect(expand({ v: [] })).toEqual([]);
  expect(expand({ v: `\${{ fromJSON('[]') }}`, w: [1, 2] })).toEqual([]);
});

test("include extends, adds, and exclude leaves out, as in GitHub Actions", () => {
  const fields = {
    fruit: ["apple", "pear"],
    animal: ["cat", "dog"],
    include: [
      { color: "green" },
      { color: "pink", animal: "cat" },
      { fruit: "apple", shape: "circle" },
      { fruit: "banana" },
      { fruit: "banana", animal: "cat" },
    ],
  };
  const found = expand(fields) as readonly { values: object }[];
  expect(found.map(({ values }) => values)).toEqual([
    { fruit: "apple", animal: "cat", color: "pink", shape: "circle" },
    { fruit: "apple", animal: "dog", color: "green", shape: "circle" },
    { fruit: "pear", animal: "cat", color: "pink" },
    { fruit: "pear", animal: "dog", color: "green" },
    { fruit: "banana" },
    { fruit: "banana", animal: "cat" },
  ]);
  expect(ids({ ...fields, include: [], exclude: [{ animal: "cat" }] })).toEqual([
    "apple-dog",
    "pear-dog",
  ]);
  expect(ids({ include: [{ a: 1 }, { a: 2 }] })).toEqual(["1", "2"]);
});

test("ids come from the values, or from `id`, and are safe in paths and refs", () => {
  expect(ids({ v: [{ id: "a b" }, { name: "../c" }, { x: 1 }, null] })).toEqual([
    "a-b",
    "c",
    "item-3",
    "item-4",
  ]);
  expect(ids({ v: ["x"], id: `\${{ matrix.v }}/\${{ run.id }}` }, { run: { id: 7 } })).toEqual([
    "x-7",
  ]);
  expect(["a/../b", "..", "x.lock", "-a-", "ä ö", "a".repeat(99), "A.b_c-1"].map(slugOf)).toEqual([
    ...["a-.-b", "", "x", "a", "", "a".repeat(64), "A.b_c-1"],
  ]);
});

test.each([
  [{ v: ["a b", "a-b"] }, "two items of the matrix have the id 'a-b'"],
  [{ v: ["A", "a"] }, "two items of the matrix have the id 'a'"],
  [{ v: ["x"], id: `\${{ matrix.no }}` }, "item 1 of the matrix has no usable id"],
  [{ v: `\${{ inputs.x }}` }, "matrix.v gives no list"],
  [{ v: `\${{ fromJSON(inputs.many) }}` }, "matrix.v has 300 items: at most 256"],
  [{ v: Array(200).fill(0), w: Array(200).fill(0) }, "the matrix has too many items: at most 256"],
  [
    { v: ["a", "b"], "depends-on": `\${{ fromJSON('["c"]') }}` },
    "item 'a' of the matrix depends on \"c\", which is no item's id",
  ],
  [{ v: ["a"], "depends-on": `\${{ matrix.v }}` }, "item 'a' of the matrix depends on itself"],
  [
    {
      v: [
        { id: "a", after: ["b"] },
        { id: "b", after: ["a"] },
      ],
      "depends-on": `\${{ matrix.v.after }}`,
    },
    "items of the matrix wait for each other: a → b → a",
  ],
])("%j is refused", (fields, problem) => {
  const many = JSON.stringify(Array.from({ length: 300 }, (_, index) => index));
  expect(expand(fields, { inputs: { x: "text", many } })).toMatchObject({
    problem: expect.stringContaining(problem),
  });
});

test("an item says for which others it waits", () => {
  const v = [{ id: "a" }, { id: "b", after: ["a"] }, { id: "c", after: "b" }];
  const found = expand({ v, "depends-on": `\${{ matrix.v.after }}` }) as readonly {
    dependsOn: unknown;
  }[];
  expect(found.map(({ dependsOn }) => dependsOn)).toEqual([[], ["a"], ["b"]]);
});
