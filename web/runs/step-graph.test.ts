// The picture of a run: levels, lines that are left out, and sizes that a run may have.
import { expect, test } from "vitest";
import { stepGraph } from "./step-graph.ts";

test("each step stands one column after the last that it needs", () => {
  const { places, columns, rows } = stepGraph([
    { step: "plan", needs: [] },
    { step: "build", needs: ["plan"] },
    { step: "lint", needs: [] },
    { step: "merge", needs: ["build", "lint"] },
  ]);
  expect(places).toEqual([
    { step: "plan", column: 0, row: 0 },
    { step: "build", column: 1, row: 0 },
    { step: "lint", column: 0, row: 1 },
    { step: "merge", column: 2, row: 0 },
  ]);
  expect({ columns, rows }).toEqual({ columns: 3, rows: 2 });
});

test("a need that follows from another has no line of its own", () => {
  const { lines } = stepGraph([
    { step: "a", needs: [] },
    { step: "b", needs: ["a"] },
    { step: "c", needs: ["a", "b"] },
  ]);
  expect(lines.map(({ from, to }) => `${from.step}-${to.step}`)).toEqual(["a-b", "b-c"]);
});

test("no step, an unknown need and 200 steps in one line or side by side", () => {
  expect(stepGraph([])).toEqual({ places: [], lines: [], columns: 0, rows: 0 });
  expect(stepGraph([{ step: "a", needs: ["gone"] }]).lines).toEqual([]);
  const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
  const chain = stepGraph(names.map((step, index) => ({ step, needs: names.slice(0, index) })));
  expect({ columns: chain.columns, rows: chain.rows }).toEqual({ columns: 200, rows: 1 });
  expect(chain.lines).toHaveLength(199);
  const beside = stepGraph(names.map((step) => ({ step, needs: [] })));
  expect({ columns: beside.columns, rows: beside.rows }).toEqual({ columns: 1, rows: 200 });
});
