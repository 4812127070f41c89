// E-mail addresses are one spelling each, and passwords have a length that can be kept.
import { expect, test } from "vitest";
import { Email, Password } from "./admin.ts";
import { PASSWORD_LENGTH } from "./password-length.ts";

test.each([
  ["ada@example.com", "ada@example.com"],
  ["  Ada@Example.COM\n", "ada@example.com"],
  ["ada+croft@localhost", "ada+croft@localhost"],
  ["ÄDA@EXAMPLE.COM", "äda@example.com"],
])("'%s' is '%s'", (text, expected) => {
  expect(Email.parse(text)).toBe(expected);
});

test.each([
  "",
  " ",
  "ada",
  "@example.com",
  "ada@",
  "a@b@c",
  "ada lovelace@example.com",
  "ada@example.com\r\nbcc: eve@example.com",
])("'%s' is no e-mail", (text) => {
  expect(Email.safeParse(text).success).toBe(false);
});

test("an e-mail has at most 254 characters", () => {
  expect(Email.safeParse(`${"a".repeat(242)}@example.com`).success).toBe(true);
  expect(Email.safeParse(`${"a".repeat(243)}@example.com`).success).toBe(false);
});

test.each(["a\u0000da@example.com", "ada\u0007@example.com", "ada@exam\u001bple.com"])(
  "control characters have no place in an e-mail: %j",
  (text) => {
    expect(Email.safeParse(text).success).toBe(false);
  },
);

test.each([
  [PASSWORD_LENGTH.min - 1, false],
  [PASSWORD_LENGTH.min, true],
  [PASSWORD_LENGTH.max, true],
  [PASSWORD_LENGTH.max + 1, false],
])("a password of %d characters: %s", (length, expected) => {
  expect(Password.safeParse("x".repeat(length)).success).toBe(expected);
});

test("a password is taken as it is, blanks included", () => {
  expect(Password.parse("  twelve chars  ")).toBe("  twelve chars  ");
});
