// Shares of a run's time, with and without pauses.
import { expect, test } from "vitest";
import { timeScale } from "./time-scale.ts";

test("points in time stand at their share, those outside at the ends", () => {
  const scale = timeScale([
    { startMs: 1_000, endMs: 3_000 },
    { startMs: 2_000, endMs: 5_000 },
  ]);
  expect([0, 1_000, 3_000, 5_000, 9_000].map(scale)).toEqual([0, 0, 0.5, 1, 1]);
});

test("a long pause takes no room, a short one does", () => {
  const day = 86_400_000;
  const scale = timeScale([
    { startMs: 0, endMs: 10_000 },
    { startMs: 20_000, endMs: 30_000 },
    { startMs: day, endMs: day + 10_000 },
  ]);
  expect([10_000, 20_000, 30_000, day, day + 10_000].map(scale)).toEqual([
    0.25, 0.5, 0.75, 0.75, 1,
  ]);
});

test("nothing has begun", () => {
  expect(timeScale([])(5)).toBe(0);
});
