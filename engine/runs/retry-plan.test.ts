// What a retry does again, by how the steps have ended.
import { parsePipeline } from "@croft/pipeline";
import { expect, test } from "vitest";
import { retryPlan } from "./retry-plan.ts";
import type { StepStatus } from "./run-state.ts";

function plan(text: string, statuses: Record<string, StepStatus>, from?: string) {
  const { pipeline } = parsePipeline(`steps: { ${text} }`);
  if (pipeline === undefined) throw new Error("not a pipeline");
  const rows = Object.entries(statuses).map(([name, status]) => {
    const [step = "", item = ""] = name.split("/");
    return { step, item, status };
  });
  const { goneOn, begunAgain } = retryPlan(pipeline, rows, from);
  return { goneOn, begunAgain: [...begunAgain].sort() };
}

const CHAIN =
  "a: { run: x }, b: { needs: [a], run: x }, c: { needs: [b], run: x }, d: { run: x }, e: { needs: [a, d], run: x }";

test("what failed or was cancelled is gone on with, and all that need it begin again", () => {
  expect(plan(CHAIN, { a: "done", b: "failed", c: "done", d: "done", e: "done" })).toEqual({
    goneOn: ["b"],
    begunAgain: ["c"],
  });
  expect(
    plan(CHAIN, { a: "done", b: "failed", c: "cancelled", d: "cancelled", e: "done" }),
  ).toEqual({ goneOn: ["b", "d"], begunAgain: ["c", "e"] });
});

test("items do not count by themselves: their step has failed with them", () => {
  expect(
    plan(CHAIN, { a: "done", "a/1": "failed", b: "done", c: "done", d: "done", e: "done" }),
  ).toEqual({ goneOn: [], begunAgain: [] });
});

test("a step that was skipped is no reason, but is decided about again with what it needs", () => {
  expect(plan(CHAIN, { a: "done", b: "skipped", c: "done", d: "done", e: "done" })).toEqual({
    goneOn: [],
    begunAgain: [],
  });
  expect(plan(CHAIN, { a: "failed", b: "skipped", c: "skipped", d: "done", e: "done" })).toEqual({
    goneOn: ["a"],
    begunAgain: ["b", "c", "e"],
  });
});

test("from a step, it and all that need it begin again, beside what failed", () => {
  expect(plan(CHAIN, { a: "done", b: "done", c: "done", d: "failed", e: "skipped" }, "b")).toEqual({
    goneOn: ["d"],
    begunAgain: ["b", "c", "e"],
  });
  expect(() => plan(CHAIN, {}, "nobody")).toThrow("the run has no step 'nobody'");
});
