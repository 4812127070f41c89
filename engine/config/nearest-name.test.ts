// The suggestion for a misspelt name is one a person could have meant, or none.
import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["http.port", "http.host", "session.idle", "CROFT_HTTP_PORT"];

test.each([
  ["http.prot", "http.port"],
  ["http.hots", "http.host"],
  ["sesion.idle", "session.idle"],
  ["CROFT_HTTP_PROT", "CROFT_HTTP_PORT"],
  ["http.port", "http.port"],
])("'%s' was meant as '%s'", (name, expected) => {
  expect(nearestName(name, known)).toBe(expected);
});

test.each(["", "zebra", "completely.different", "x".repeat(200)])(
  "nothing is suggested for '%s'",
  (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  },
);

test("nothing is suggested where nothing is known", () => {
  expect(nearestName("http.port", [])).toBeUndefined();
});
