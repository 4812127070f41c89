// A run as GitHub shows it.
import { expect, test } from "vitest";
import type { StepRow } from "../../runs/run-rows.ts";
import { checkSummary } from "./check-summary.ts";

const BEGAN = new Date("2026-01-01T10:00:00Z");
const PIPELINE = {
  steps: ["plan", "build", "tell"].map((id) => ({ id, name: id === "plan" ? "The | plan" : id })),
} as unknown as Parameters<typeof checkSummary>[1];

function step(id: string, more: Partial<StepRow> = {}): StepRow {
  const row = {
    ...{ step: id, item: "", status: "pending", reason: null, error: null, summary: null },
    ...{ message: null, is_group: false, started_at: null, finished_at: null },
    ...more,
  };
  return row as StepRow;
}

function ended(id: string, seconds: number, more: Partial<StepRow> = {}): StepRow {
  const finished_at = new Date(BEGAN.getTime() + seconds * 1000);
  return step(id, { status: "done", started_at: BEGAN, finished_at, ...more });
}

function run(status: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled") {
  return { status, error: null, started_at: status === "queued" ? null : BEGAN };
}

test("a table of the steps, in the order of the pipeline, items below their step", () => {
  const rows = [
    step("tell"),
    ended("build", 3, { item: "b", status: "failed", error: failure("exit code 1") }),
    ended("build", 125, { item: "a" }),
    step("build", { status: "running", started_at: BEGAN, is_group: true }),
    ended("plan", 4.2),
  ];
  const { status, conclusion, title, summary } = checkSummary(run("running"), PIPELINE, rows);
  expect({ status, conclusion, title }).toEqual({
    ...{ status: "in_progress", conclusion: undefined, title: "1 of 3 steps ended" },
  });
  expect(summary.trim().split("\n")).toEqual([
    "| Step | Result | Time |",
    "|---|---|---|",
    "| The \\| plan | ✓ done | 4.2 s |",
    "| build | ● running |  |",
    "| &nbsp;&nbsp;a | ✓ done | 2 min 5 s |",
    "| &nbsp;&nbsp;b | ✗ failed: exit code 1 | 3.0 s |",
    "| tell | ○ pending |  |",
  ]);
});

function failure(message: string): NonNullable<StepRow["error"]> {
  return { code: "command-failed", class: "command", message };
}

test.each([
  ["queued", "queued", undefined, "It waits for its turn"],
  ["done", "completed", "success", "3 steps, all ended well"],
  ["failed", "completed", "failure", "Step 'build' failed"],
  ["cancelled", "completed", "cancelled", "It was cancelled"],
  ["waiting", "in_progress", undefined, "Step 'tell' waits for an approval"],
] as const)("%s", (state, status, conclusion, title) => {
  const rows = [
    ended("plan", 1),
    ended("build", 1, { status: state === "failed" ? "failed" : "done" }),
    step("tell", { status: state === "waiting" ? "waiting" : "pending" }),
  ];
  expect(checkSummary(run(state), PIPELINE, rows)).toMatchObject({ status, conclusion, title });
});

test("in line again after an approval it is still in progress", () => {
  const waiting = { ...run("queued"), started_at: BEGAN };
  expect(checkSummary(waiting, PIPELINE, []).status).toBe("in_progress");
});

test("what a message says is text: no table, no link, no mention", () => {
  const message = "@everyone <img src=x> | [click](http://x)\n| row | `code`";
  const { summary } = checkSummary(run("failed"), PIPELINE, [
    ended("build", 1, { status: "failed", error: failure(message) }),
  ]);
  const line = summary.split("\n")[2] ?? "";
  expect(line).not.toContain("@everyone");
  expect(line).not.toContain("<img");
  expect(line).not.toContain("[click]");
  expect(line.replaceAll("\\|", "").split("|")).toHaveLength(5);
});

test("a matrix with very many items leaves room for the rest", () => {
  const items = Array.from({ length: 2000 }, (_, nth) =>
    ended("build", 1, { item: `item-${nth}`, summary: "x" }),
  );
  const { summary } = checkSummary(run("done"), PIPELINE, items, ["checks.json: it is no JSON"]);
  expect(summary.length).toBeLessThan(65_535);
  expect(summary).toContain("… and 1750 more");
  expect(summary).toContain("- checks.json: it is no JSON");
});
