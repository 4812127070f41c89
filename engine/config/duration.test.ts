// Durations are read as people write them, and nothing else is.
import { expect, test } from "vitest";
import { duration } from "./duration.ts";

test.each([
  ["0s", 0],
  ["500ms", 500],
  ["30s", 30_000],
  ["15m", 900_000],
  ["12h", 43_200_000],
  ["7d", 604_800_000],
  ["007s", 7000],
])("'%s' is %d ms", (text, expected) => {
  expect(duration("0ms", "3650d").parse(text)).toBe(expected);
});

test.each([
  "",
  "15",
  "m",
  "15 m",
  "1.5h",
  "-1s",
  "15M",
  "1h30m",
  "15m\n",
  "1e3s",
  "٣s",
  "1234567890s",
])("'%s' is no duration, and the message shows how one looks", (text) => {
  const { error } = duration("0ms", "3650d").safeParse(text);
  expect(error?.issues[0]?.message).toContain('must be a duration such as "500ms"');
});

test("a bare number is refused, because its unit would be a guess", () => {
  expect(duration("0ms", "3650d").safeParse(900).success).toBe(false);
});
