// Addresses keep what people write into them.
import { expect, test } from "vitest";
import { parsePlainSearch, writePlainSearch } from "./plain-search.ts";

test("a key that looks like a number, JSON or markup stays the text it is", () => {
  for (const key of ["007", "1e5", "true", '{"a":1}', "a b&c=d", "<b>", "ü/ß"]) {
    expect(parsePlainSearch(writePlainSearch({ key }))).toEqual({ key });
  }
});

test("what has no value is not in the address", () => {
  expect(writePlainSearch({ status: undefined, key: "" })).toBe("");
});
