// The server's messages, as pages show them.
import { expect, test } from "vitest";
import { sentence } from "./sentence.ts";

test.each([
  [
    "the link is used; `croft login` prints a new one",
    "The link is used; `croft login` prints a new one.",
  ],
  ["Already a sentence.", "Already a sentence."],
  ["'x' is wrong", "'x' is wrong."],
  ["", ""],
])("%j is shown as %j", (message, expected) => {
  expect(sentence(message)).toBe(expected);
});
