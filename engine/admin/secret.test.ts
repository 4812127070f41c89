// Secrets are random, their digests tell nothing, and comparing them is safe.
import { expect, test } from "vitest";
import { derivedSecret, digestOf, newSecret, secretsEqual } from "./secret.ts";

test("a secret has 256 bits, fits into a URL, and no two are alike", () => {
  const secrets = Array.from({ length: 1000 }, newSecret);
  expect(new Set(secrets).size).toBe(1000);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
});

test.each([
  ["same", "same", true],
  ["", "", true],
  ["same", "Same", false],
  ["short", "much longer than that", false],
  ["", "x", false],
  ["é", "e\u0301", false],
])("'%s' and '%s' are equal: %s", (left, right, expected) => {
  expect(secretsEqual(left, right)).toBe(expected);
});

test("a digest is the same for the same secret only, and does not contain it", () => {
  const secret = newSecret();
  expect(digestOf(secret).equals(digestOf(secret))).toBe(true);
  expect(digestOf(secret).equals(digestOf(newSecret()))).toBe(false);
  expect(digestOf(secret)).toHaveLength(32);
  expect(digestOf(secret).includes(secret)).toBe(false);
});

test("a derived secret depends on the secret and on the purpose", () => {
  const derived = derivedSecret("secret", "csrf");
  expect(derivedSecret("secret", "csrf")).toBe(derived);
  expect(derivedSecret("secret", "other")).not.toBe(derived);
  expect(derivedSecret("other", "csrf")).not.toBe(derived);
  expect(derived).not.toContain("secret");
});
