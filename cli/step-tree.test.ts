// The tree of a run's steps, as text.
import type { RunDetail, RunStep } from "@croft/contract";
import { expect, test } from "vitest";
import { durationText } from "./duration-text.ts";
import { stepTree } from "./step-tree.ts";
import { TerminalText } from "./terminal-text.ts";
import { textWidth } from "./text-width.ts";

const AT = Date.parse("2026-01-01T00:00:00Z");

function step(name: string, status: RunStep["status"], more: Partial<RunStep> = {}): RunStep {
  const hasBegun = status !== "pending" && status !== "queued" && status !== "skipped";
  const hasEnded = ["done", "failed", "cancelled"].includes(status);
  return {
    ...{
      step: name,
      item: null,
      name,
      kind: "run",
      needs: [],
      status,
      reason: null,
      message: null,
    },
    ...{ job_id: null, run_id: null, attempt: null, outputs: {}, commit: null, branch: null },
    ...{ report: null, summary: null, error: null, matrix: null, decided_by: null },
    deadline_at: null,
    started_at: hasBegun ? new Date(AT).toISOString() : null,
    finished_at: hasEnded ? new Date(AT + 1500).toISOString() : null,
    ...more,
  } as RunStep;
}

function tree(steps: readonly RunStep[], size = {}): string[] {
  const run = { id: "the-run", name: "build", number: 7, steps } as unknown as RunDetail;
  const moment = { nowMs: AT + 2000, frame: 0 };
  const plain = (line: string) => new TerminalText({ keepsColours: false }).push(line);
  return stepTree(run, { columns: 200, ...size }, moment).map(plain);
}

const item = (name: string, id: string, status: RunStep["status"]) =>
  step(name, status, { item: id });

test("each state has its sign, items stand below their step, times are told", () => {
  const error = { class: "command", code: "x", message: "it\x1b[2J failed\nbadly" } as const;
  expect(
    tree([
      step("plan", "done"),
      step("make", "running", { attempt: 2 }),
      item("make", "a", "done"),
      item("make", "b", "running"),
      item("make", "c", "queued"),
      step("bad", "failed", { error }),
      step("ask", "waiting"),
      step("left", "skipped", { reason: "its needs did not succeed" }),
      step("stopped", "cancelled"),
      step("later", "pending"),
    ]),
  ).toEqual([
    "build #7",
    "✓ plan 1.5 s",
    "⠋ make 1 of 3, attempt 2, 2.0 s",
    "  ✓ a 1.5 s",
    "  ⠋ b 2.0 s",
    "  ○ c",
    "✗ bad 1.5 s  it failed badly",
    "? ask 2.0 s  croft approve the-run ask",
    "– left  its needs did not succeed",
    "■ stopped 1.5 s",
    "· later",
  ]);
});

test("where there is little room, what is going on and what went wrong is shown", () => {
  const items = Array.from({ length: 50 }, (_, at) => item("make", `i${at}`, "done"));
  const steps = [
    ...[step("plan", "done"), step("make", "running"), ...items],
    ...[item("make", "bad", "failed"), step("later", "pending")],
  ];
  const shown = tree(steps, { lines: 5, columns: 20 });
  expect(shown).toEqual([
    "build #7",
    "⠋ make 51 of 51, 2.…",
    "  ✗ bad 1.5 s",
    "· later",
    "  … 51 more",
  ]);
  expect(tree(steps)).toHaveLength(1 + steps.length);
  for (let lines = 1; lines < 10; lines++) {
    expect(tree(steps, { lines }).length).toBeLessThanOrEqual(Math.max(lines, 2));
  }
  for (const line of tree(steps, { columns: 9 })) expect(textWidth(line)).toBeLessThanOrEqual(9);
});

test.each([
  [0, "0.0 s"],
  [59_940, "59.9 s"],
  [59_960, "1m 00s"],
  [125_000, "2m 05s"],
  [3_725_000, "1h 02m"],
])("%d ms are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
