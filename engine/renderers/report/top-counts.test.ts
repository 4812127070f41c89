// Counting takes only so much memory, and the greatest stay right.
import { expect, test } from "vitest";
import { TopCounts } from "./top-counts.ts";

test.each([
  ["many", { namesMax: 100, lengthMax: 1_000_000 }],
  ["long", { namesMax: 1_000_000, lengthMax: 10_000 }],
])("when names are too %s, those that came least are forgotten", (_, limits) => {
  const counts = new TopCounts(limits);
  for (let number = 0; number < 5000; number++) {
    counts.add(`${number}${"n".repeat(90)}`);
    counts.add("hot");
    if (number % 2 === 0) counts.add("warm");
  }
  expect(counts.top(2)).toEqual([
    { name: "hot", count: 5000 },
    { name: "warm", count: 2500 },
  ]);
  expect(counts.top(1_000_000).length).toBeLessThan(115);
});
