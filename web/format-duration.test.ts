// Durations from nothing to days.
import { expect, test } from "vitest";
import { formatDuration, formatElapsed, formatMilliseconds } from "./format-duration.ts";

test.each([
  [-50, "00:00:00"],
  [999, "00:00:00"],
  [61_000, "00:01:01"],
  [86_399_999, "23:59:59"],
  [86_400_000, "1 d 00:00:00"],
  [274_353_000, "3 d 04:12:33"],
])("%i ms are shown as %s", (duration, expected) => {
  expect(formatDuration(duration)).toBe(expected);
});

test.each([
  [0, "0"],
  [0.8371, "0.84"],
  [12.46, "12.5"],
  [340.4, "340"],
  [1203, "1,203"],
])("%d ms are shown as %s", (duration, expected) => {
  expect(formatMilliseconds(duration)).toBe(expected);
});

test.each([
  [-5, "0 ms"],
  [340.4, "340 ms"],
  [2_000, "2 s"],
  [2_449, "2.4 s"],
  [59_999, "59 s"],
  [725_000, "12 min 5 s"],
  [12_000_000, "3 h 20 min"],
  [187_200_000, "2 d 4 h"],
])("%d ms took %s", (duration, expected) => {
  expect(formatElapsed(duration)).toBe(expected);
});
