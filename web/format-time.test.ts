// Times before and after now, in words.
import { expect, test } from "vitest";
import { formatRelative } from "./format-time.ts";

const now = new Date("2026-11-15T12:00:00Z");

test.each([
  ["2026-11-15T11:59:30Z", "just now"],
  ["2026-11-15T12:00:20Z", "in less than a minute"],
  ["2026-11-15T11:58:00Z", "2 minutes ago"],
  ["2026-11-15T06:30:00Z", "5 hours ago"],
  ["2026-11-14T11:00:00Z", "yesterday"],
  ["2026-11-27T12:00:00Z", "in 12 days"],
  ["2025-10-01T12:00:00Z", "last year"],
])("%s is %s", (time, expected) => {
  expect(formatRelative(new Date(time), now)).toBe(expected);
});
