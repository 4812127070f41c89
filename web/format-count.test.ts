// Counts on both sides of the point where they are shortened.
import { expect, test } from "vitest";
import { formatCount } from "./format-count.ts";

test.each([
  [0, "0"],
  [48_213, "48,213"],
  [999_999, "999,999"],
  [1_000_000, "1M"],
  [123_456_789, "123.5M"],
])("%i is shown as %s", (count, expected) => {
  expect(formatCount(count)).toBe(expected);
});
