// Nobody is led to another site after signing in.
import { expect, test } from "vitest";
import { safeRedirect } from "./safe-redirect.ts";

test.each([
  ["/", "/"],
  ["/settings", "/settings"],
  ["/jobs?status=failed&owner=app%3A1#L12", "/jobs?status=failed&owner=app%3A1#L12"],
  ["/a/../settings", "/settings"],
  ["/jobs?next=//evil.example", "/jobs?next=//evil.example"],
])("a path of this site is kept: %s", (path, expected) => {
  expect(safeRedirect(path)).toBe(expected);
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/\n\\evil.example",
  "/..//evil.example",
  "/./\\evil.example",
  "https://evil.example/",
  "javascript:alert(1)",
  "settings",
  "",
  undefined,
  null,
  7,
  ["/settings"],
])("anything that could lead elsewhere is refused: %j", (path) => {
  expect(safeRedirect(path)).toBeUndefined();
});
