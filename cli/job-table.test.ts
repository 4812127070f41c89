// Jobs in rows: a table for people, fields for programs.
import type { Job } from "@croft/contract";
import { expect, test } from "vitest";
import { describeJob } from "./describe-job.ts";
import { ageOf, jobLines, jobTable } from "./job-table.ts";

const job: Job = {
  ...{ id: "0190a6b2-0000-7000-8000-000000000001", type: "command", owner: "local", key: null },
  ...{ status: "queued", waiting_for: "lane", position: 3, priority: "normal", attempt: 0 },
  ...{ attempts: null, timeout_ms: null, input: {}, result: null, result_assets: [], error: null },
  ...{ progress: null, cancel_requested: false, dedupe: null, source_task_id: null },
  ...{ retry_of: null, notify: false, run_id: null, step: null, worker_id: null },
  ...{ created_at: "2030-01-01T00:00:00.000Z", run_at: "2030-01-01T00:00:00.000Z" },
  ...{ started_at: null, finished_at: null },
};
const running: Job = {
  ...job,
  status: "running",
  waiting_for: null,
  position: null,
  progress: { fraction: 0.5, note: "half\x1b[2J way" },
};
const failed: Job = {
  ...running,
  status: "failed",
  key: "repo:a\tb",
  error: { code: "x", message: `broken\n${"very ".repeat(50)}`, class: "command" },
};

test("fields are divided by tabs, also where somebody's text has some", () => {
  const lines = jobLines([job, running, failed]).trimEnd().split("\n");
  expect(lines.map((line) => line.split("\t").length)).toEqual([7, 7, 7]);
  expect(lines[0]).toContain("waits for lane, place 3");
  expect(lines[1]).toMatch(/\t50 % half way$/);
  expect(lines[2]).toContain("\trepo:a b\t");
  expect(jobLines([])).toBe("");
});

test("a row fits the terminal", () => {
  const now = Date.parse("2030-01-01T00:02:00.000Z");
  const lines = jobTable([job, failed], 120, now).trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^0190a6b2-\S+ {2}\S*queued.* {2}2m {2,}waits for lane/);
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
    expect(line.replace(/\x1b\[\d+m/g, "").length).toBeLessThanOrEqual(120);
  }
  expect(lines[2]).toMatch(/broken very.*…$/);
});

test.each([
  ["2030-01-01T00:00:00Z", "0s"],
  ["2029-12-31T23:59:01Z", "59s"],
  ["2029-12-31T23:01:00Z", "59m"],
  ["2029-12-31T00:00:00Z", "24h"],
  ["2029-12-22T00:00:00Z", "10d"],
  ["2030-01-01T00:00:09Z", "0s"],
])("%s is %s old", (time, age) => {
  expect(ageOf(time, Date.parse("2030-01-01T00:00:00Z"))).toBe(age);
});

test("one job is told in words, without what it does not have", () => {
  const text = describeJob(failed);
  expect(text).toMatch(/^id +0190a6b2/);
  expect(text).toMatch(/^error +broken very .*\(x\)$/m);
  expect(text).not.toMatch(/null|retry of|started/);
  expect(describeJob({ ...job, attempt: 2, attempts: 3 })).toMatch(/^attempt +2 of 3$/m);
});
