// Attempts from events: retried, lost, cancelled in line, still running.
import type { Event } from "@croft/contract";
import { expect, test } from "vitest";
import { jobAttempts } from "./job-attempts.ts";

function history(...steps: [type: string, data?: Event["data"]][]): Event[] {
  return steps.map(([type, data = {}], index) => ({
    subject: "01a1e244-5d08-7000-8983-e4b6ddbf7906",
    ...{ seq: index + 1, owner: "local", type: `job.${type}`, data },
    at: `2026-11-16T00:00:0${index}.000Z`,
  }));
}

test("a job that was lost, failed and then done has three attempts", () => {
  const error = { code: "failed", message: "no network", class: "transient" };
  const attempts = jobAttempts(
    history(
      ["queued"],
      ["started", { attempt: 1, worker: "a" }],
      ["retrying", { attempt: 1, outcome: "lost" }],
      ["started", { attempt: 2, worker: "b" }],
      ["progress", { fraction: 0.5 }],
      ["retrying", { attempt: 2, outcome: "failed", error, run_at: "2026-11-16T00:00:06.000Z" }],
      ["started", { attempt: 3, worker: "b" }],
      ["done", { attempt: 3 }],
    ),
  );
  expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
    ...[
      [1, "lost"],
      [2, "failed"],
      [3, "done"],
    ],
  ]);
  expect(attempts[1]).toMatchObject({ error, queuedAt: "2026-11-16T00:00:02.000Z" });
});

test("a job that is cancelled in line has none", () => {
  expect(jobAttempts(history(["queued"], ["cancelled"]))).toEqual([]);
});

test("an attempt that goes on has no end", () => {
  const [attempt] = jobAttempts(history(["queued"], ["started", { attempt: 1 }]));
  expect(attempt).toMatchObject({ outcome: "running", endedAt: undefined });
});
