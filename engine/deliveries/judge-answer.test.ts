// When the next try comes, and when there is none.
import { expect, test } from "vitest";
import { judgeAnswer } from "./judge-answer.ts";

const RULES = {
  scheduleMs: [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000],
  random: () => 0.5,
};
const FIRST = { failures: 0, refusals: 0, othersSucceed: true, files: 1 };

test("Retry-After makes a pause longer, never shorter", () => {
  const after = (retryAfterMs: number) =>
    judgeAnswer({ kind: "answered", status: 429, retryAfterMs }, FIRST, RULES);
  expect(after(0)).toEqual({ kind: "retry", afterMs: 1000 });
  expect(after(100)).toEqual({ kind: "retry", afterMs: 1000, closesMs: 100 });
  expect(after(60_000)).toEqual({ kind: "retry", afterMs: 60_000, closesMs: 60_000 });
});

test.each([
  ["several files", { files: 2 }, 3],
  ["one file alone", { files: 1 }, 6],
  ["what is not of files", { files: 0 }, undefined],
  ["nobody else's is accepted", { files: 2, othersSucceed: false }, undefined],
])("5xx in a row: %s", (_what, before, isRefusedAfter) => {
  const verdicts = Array.from({ length: 9 }, (_, refusals) =>
    judgeAnswer({ kind: "answered", status: 500 }, { ...FIRST, ...before, refusals }, RULES),
  );
  const first = verdicts.findIndex(({ kind }) => kind === "refused");
  expect(first === -1 ? undefined : first + 1).toBe(isRefusedAfter);
});
