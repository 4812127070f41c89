// The items of a matrix as a table has them.
import type { RunStep } from "@croft/contract";
import { expect, test } from "vitest";
import { failedFirst } from "./run-steps.ts";

test("what failed stands first, and the order stays otherwise", () => {
  const items = ["a done", "b failed", "c running", "d failed", "e cancelled"].map((text) => {
    const [item, status] = text.split(" ");
    return { item, status } as RunStep;
  });
  expect(failedFirst(items).map(({ item }) => item)).toEqual(["b", "d", "a", "c", "e"]);
  expect(failedFirst([])).toEqual([]);
});
