// The graph of steps: order, levels, who waits for whom.
import { expect, test } from "vitest";
import { findCycle, planGraph } from "./graph.ts";

const step = (id: string, ...needs: string[]) => ({ id, needs });

test("a diamond", () => {
  const graph = planGraph({
    steps: [step("d", "b", "c"), step("b", "a"), step("a"), step("c", "a")],
  });
  expect(graph.order).toEqual(["a", "b", "c", "d"]);
  expect(graph.levels).toEqual([["a"], ["b", "c"], ["d"]]);
  expect(graph.dependants.get("a")).toEqual(["b", "c"]);
  expect([...(graph.ancestors.get("d") ?? [])].sort()).toEqual(["a", "b", "c"]);
});

test("a thousand steps that all need all before them", () => {
  const steps = Array.from({ length: 1000 }, (_, index) =>
    step(
      `s${index}`,
      ...Array.from({ length: Math.min(index, 50) }, (_each, back) => `s${index - 1 - back}`),
    ),
  );
  const { order, ancestors } = planGraph({ steps });
  expect(order.at(-1)).toBe("s999");
  expect(ancestors.get("s999")?.size).toBe(999);
});

test("a circle is found, and only a circle", () => {
  const edges = (entries: Record<string, string[]>) => new Map(Object.entries(entries));
  expect(findCycle(edges({ a: ["b"], b: ["c"], c: ["b"] }))).toEqual(["b", "c", "b"]);
  expect(findCycle(edges({ a: ["a"] }))).toEqual(["a", "a"]);
  expect(findCycle(edges({ a: ["b", "c"], b: ["c"], c: [] }))).toBeUndefined();
  expect(() => planGraph({ steps: [step("a", "b"), step("b", "a")] })).toThrow("a → b → a");
});
