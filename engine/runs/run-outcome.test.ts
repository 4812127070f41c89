// Whose error a run fails with, and what a step says whose items failed.
import { parsePipeline } from "@croft/pipeline";
import { expect, test } from "vitest";
import { firstError, groupError } from "./run-outcome.ts";
import type { StepRow } from "./run-rows.ts";

function row(step: string, item: string, position: number, more: Partial<StepRow>): StepRow {
  return {
    ...{ step, item, position, status: "done", is_group: false, matrix: null, depends_on: [] },
    ...{ job_id: null, child_id: null, child_attempts: 0, retry_at: null, outputs: null },
    ...{ commit: null, base: null, branch: null, report: null, summary: null, error: null },
    ...{ reason: null, message: null, decided_by: null, decided_at: null, deadline_at: null },
    ...{ stopped_at: null, is_after_cancel: false, started_at: null, finished_at: null },
    ...more,
  };
}

function failed(message: string): Pick<StepRow, "status" | "error"> {
  return { status: "failed", error: { code: "command", class: "command", message } };
}

function errorOf(rows: readonly StepRow[]) {
  const { pipeline } = parsePipeline(`repository: https://example.com/a.git
steps:
  build: { run: x, matrix: { n: [1, 2, 3] } }
  loose: { run: x, continue-on-error: true }
  last: { run: x }
`);
  if (pipeline === undefined) throw new Error("not a pipeline");
  return firstError(pipeline, (id) => rows.filter(({ step }) => step === id));
}

test("the first in the file is told, not the first in the table; of a matrix its first item that failed", () => {
  const rows = [
    row("last", "", 2, failed("late")),
    row("loose", "", 1, failed("not minded")),
    row("build", "", 0, { ...failed("2 of 3"), is_group: true }),
    row("build", "c", 2, failed("third")),
    row("build", "b", 1, failed("second")),
    row("build", "a", 0, {}),
  ];
  expect(errorOf(rows)?.message).toBe("step 'build' (b): second");
  expect(errorOf(rows.slice(0, 2))?.message).toBe("step 'last': late");
  expect(errorOf(rows.slice(1, 2))).toBeNull();
});

test("a matrix none of whose items has an error has one of its own", () => {
  const items = [
    row("build", "a", 0, {}),
    row("build", "b", 1, { status: "cancelled" }),
    row("build", "c", 2, { status: "skipped" }),
  ];
  const error = groupError(items);
  expect(error).toEqual({
    ...{ code: "items-failed", class: "cancelled" },
    message: "2 of 3 items did not succeed: 'b' (cancelled), 'c' (skipped)",
  });
  const main = row("build", "", 0, { status: "failed", is_group: true, error });
  expect(errorOf([main, ...items])?.message).toBe(`step 'build': ${error.message}`);
  const many = Array.from({ length: 9 }, (_, n) => row("build", `i${n}`, n, failed("no")));
  expect(groupError(many)).toMatchObject({
    class: "command",
    message: expect.stringMatching(/^9 of 9 .*'i4' \(failed\), and 4 more$/),
  });
});
