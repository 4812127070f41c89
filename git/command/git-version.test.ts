// Which versions of git are too old for Croft, and which came before a security fix.
import { expect, test } from "vitest";
import {
  isGitTooOld,
  missingFixes,
  OLDEST_GIT,
  parseGitVersion,
  RECOMMENDED_GIT,
} from "./git-version.ts";

function version(text: string) {
  const parsed = parseGitVersion(text);
  if (parsed === undefined) throw new Error(`'${text}' is no version`);
  return parsed;
}

test.each([
  ["2.39.5", { major: 2, minor: 39, patch: 5 }],
  ["2.39.5 (Apple Git-154)", { major: 2, minor: 39, patch: 5 }],
  ["2.55.0.rc1", { major: 2, minor: 55, patch: 0 }],
  ["2.45.1.windows.1", { major: 2, minor: 45, patch: 1 }],
  ["3.0", { major: 3, minor: 0, patch: 0 }],
  ["", undefined],
  ["next", undefined],
])("'%s' is read as %o", (text, expected) => {
  expect(parseGitVersion(text)).toEqual(expected);
});

test.each(["1.9.5", "2.9.5", "2.30.2", "2.32.7"])("%s is too old", (text) => {
  expect(isGitTooOld(version(text))).toBe(true);
});

test.each([OLDEST_GIT, "2.33.0", "2.39.5", RECOMMENDED_GIT, "3.0.0"])("%s can be used", (text) => {
  expect(isGitTooOld(version(text))).toBe(false);
});

test.each([RECOMMENDED_GIT, "2.51.0", "2.43.7", "2.49.1", "3.0.0"])("%s has all fixes", (text) => {
  expect(missingFixes(version(text))).toEqual([]);
});

test.each([
  ["2.50.0", ["CVE-2025-48384", "CVE-2025-48385"]],
  ["2.43.6", ["CVE-2025-48384", "CVE-2025-48385"]],
  ["2.39.5", ["CVE-2025-48384", "CVE-2025-48385", "CVE-2024-50349", "CVE-2024-52006"]],
])("%s came before the fixes of %o", (text, faults) => {
  expect(missingFixes(version(text))).toEqual(faults);
});

test("what is older lacks more", () => {
  expect(missingFixes(version("2.39.3"))).toContain("CVE-2024-32002");
  expect(missingFixes(version("2.38.1"))).not.toContain("CVE-2022-39253");
  expect(missingFixes(version("2.38.0"))).toContain("CVE-2022-39253");
  expect(missingFixes(version("2.34.1"))).toHaveLength(10);
});
