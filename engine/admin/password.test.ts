// Passwords are kept as argon2id hashes, and a flood of them is turned away rather than worked off.
import { expect, test } from "vitest";
import { hashPassword, passwordMatches } from "./password.ts";

test("the hash is argon2id with a salt of its own, and does not contain the password", async () => {
  const [first, second] = await Promise.all([
    hashPassword("correct horse battery"),
    hashPassword("correct horse battery"),
  ]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(first).not.toBe(second);
  expect(first).not.toContain("correct");
});

test.each([
  ["the right one", "correct horse battery", true],
  ["a wrong one", "correct horse battery!", false],
  ["another case", "Correct horse battery", false],
  ["none", "", false],
  ["one cut off by a NUL", "correct horse battery\0", false],
])("%s: %s", async (_which, password, expected) => {
  expect(await passwordMatches(password, await hashPassword("correct horse battery"))).toBe(
    expected,
  );
});

test("all of a long password counts", async () => {
  const long = "x".repeat(255);
  const hash = await hashPassword(`${long}a`);
  expect(await passwordMatches(`${long}a`, hash)).toBe(true);
  expect(await passwordMatches(`${long}b`, hash)).toBe(false);
});

test("no password matches an account that does not exist, not even the decoy's own", async () => {
  expect(await passwordMatches("correct horse battery", undefined)).toBe(false);
  expect(await passwordMatches("no account has this password", undefined)).toBe(false);
});

test("of 60 at the same moment some are turned away, the others are answered", async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 60 }, () => passwordMatches("flood", undefined)),
  );
  const refused = attempts.flatMap((attempt) =>
    attempt.status === "rejected" ? [attempt.reason.code] : [],
  );
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(10);
  expect(new Set(refused)).toEqual(new Set(["unavailable"]));
  expect(await passwordMatches("after the flood", undefined)).toBe(false);
});
