// Cron lines are due when people in that time zone expect it, also on the two odd days of a year.
import { describe, expect, test } from "vitest";
import { nextTime, requireNextTime } from "./cron.ts";

function times(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let last = new Date(after);
  while (found.length < count) {
    const next = nextTime({ cron, timeZone }, last);
    if (next === undefined) break;
    expect(next.getTime()).toBeGreaterThan(last.getTime());
    found.push(next.toISOString().replace(/:00\.000Z$/, "Z"));
    last = next;
  }
  return found;
}

test.each([
  ["*/15 * * * *", "UTC", "2026-01-01T00:00:00Z", ["2026-01-01T00:15Z", "2026-01-01T00:30Z"]],
  ["0 6 * * MON-FRI", "UTC", "2026-01-02T07:00:00Z", ["2026-01-05T06:00Z", "2026-01-06T06:00Z"]],
  ["0 9 1 JAN *", "Asia/Kolkata", "2026-01-01T12:00:00Z", ["2027-01-01T03:30Z"]],
  ["0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
  ["0 0 L * *", "UTC", "2026-01-31T12:00:00Z", ["2026-02-28T00:00Z", "2026-03-31T00:00Z"]],
  ["0 0 * * MON#1", "UTC", "2026-01-01T00:00:00Z", ["2026-01-05T00:00Z", "2026-02-02T00:00Z"]],
  ["0 0 13 * 5", "UTC", "2026-01-01T00:00:00Z", ["2026-01-02T00:00Z", "2026-01-09T00:00Z"]],
  ["0 0 * * 7", "UTC", "2026-01-01T00:00:00Z", ["2026-01-04T00:00Z"]],
])("'%s' in %s after %s", (cron, zone, after, expected) => {
  expect(times(cron, zone, after, expected.length)).toEqual(expected);
});

test("six fields have seconds", () => {
  const next = nextTime({ cron: "*/20 * * * * *", timeZone: "UTC" }, new Date("2026-01-01"));
  expect(next?.toISOString()).toBe("2026-01-01T00:00:20.000Z");
});

describe("the clock is put forward (Berlin, 2026-03-29, 02:00 to 03:00)", () => {
  test("what falls into the hour that is missing is due at its end, once", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30Z",
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ]);
  });
  test("what is due every half an hour stays so", () => {
    expect(times("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:15:00Z", 4)).toEqual([
      "2026-03-29T00:30Z",
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-29T02:00Z",
    ]);
  });
  test("a midnight that is missing is made up for", () => {
    expect(times("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", 2)).toEqual([
      "2018-11-04T03:00Z",
      "2018-11-05T02:00Z",
    ]);
  });
});

describe("the clock is put back (Berlin, 2026-10-25, 03:00 to 02:00)", () => {
  test("what is due at one time of the day is due once", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
  });
  test("what is due every hour is due in both", () => {
    expect(times("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 4)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T01:00Z",
      "2026-10-25T02:00Z",
      "2026-10-25T03:00Z",
    ]);
  });
  test("by half an hour as well", () => {
    expect(times("*/30 * * * *", "Australia/Lord_Howe", "2026-04-04T14:15:00Z", 3)).toEqual([
      "2026-04-04T14:30Z",
      "2026-04-04T15:00Z",
      "2026-04-04T15:30Z",
    ]);
  });
});

/** The times of a day by looking at every minute of it. */
function byLooking(minuteStep: number, timeZone: string, from: number, until: number): string[] {
  const format = new Intl.DateTimeFormat("en", { timeZone, minute: "numeric" });
  const found: string[] = [];
  for (let at = from + 60_000; at < until; at += 60_000) {
    if (Number(format.format(at)) % minuteStep !== 0) continue;
    found.push(new Date(at).toISOString().replace(/:00\.000Z$/, "Z"));
  }
  return found;
}

test.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"])(
  "every 7 minutes in %s is what counting minute by minute gives, on all days the clock changes",
  (zone) => {
    for (const day of ["2026-02-15", "2026-03-08", "2026-03-22", "2026-03-29", "2026-04-05"]) {
      const from = Date.parse(`${day}T00:00:00Z`) - 86_400_000;
      const expected = byLooking(7, zone, from, from + 2 * 86_400_000);
      const after = new Date(from).toISOString();
      expect(times("*/7 * * * *", zone, after, expected.length)).toEqual(expected);
    }
  },
);

test.each([
  ["", "five fields"],
  ["* * * *", "five fields"],
  ["* * * * * * *", "five fields"],
  ["@daily", "five fields"],
  ["2026-12-24T10:00:00", "five fields"],
  ["? * * * *", "five fields"],
  ["* * * * *\u0000", "five fields"],
  ["\n* * * * *", "five fields"],
  ["0 0 1W * *", "five fields"],
  ["99 * * * *", "minute"],
  ["0 24 * * *", "hour"],
  ["*/0 * * * *", "stepping"],
  ["0 0 * * XYZ", "illegal"],
  ["10-5 * * * *", "larger"],
  ["0 0 31 2 *", "never comes"],
  ["0 0 31 2,4,6,9,11 *", "never comes"],
])("'%s' is refused, and the reason is said", (cron, reason) => {
  const line = { cron, timeZone: "UTC" };
  expect(() => requireNextTime(line, new Date("2026-01-01"))).toThrow(
    expect.objectContaining({
      code: "invalid-input",
      message: expect.stringMatching(new RegExp(`^not valid: cron: .*${reason}`, "i")),
    }),
  );
});

test.each(["Mars/Base", "+01:00", "", "UTC\n", "../etc/passwd", "Europe", "x".repeat(64)])(
  "'%s' is no time zone",
  (timeZone) => {
    expect(() => requireNextTime({ cron: "* * * * *", timeZone }, new Date())).toThrow(
      /^not valid: time_zone/,
    );
  },
);
