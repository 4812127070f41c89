// What a terminal would obey, as text with colours: hostile sequences leave nothing behind.
import { expect, test } from "vitest";
import { plainLook, readAnsi } from "./ansi-text.ts";

test("a plain line is taken as it is", () => {
  expect(readAnsi("hello <b>world</b>", plainLook)).toEqual({
    ...{ text: "hello <b>world</b>", ranges: [], look: plainLook },
  });
});

test("colours are ranges of the text, and the last one goes on in the next line", () => {
  const { text, ranges, look } = readAnsi("\u001b[1;31mFAIL\u001b[0m x \u001b[92mok", plainLook);
  expect(text).toBe("FAIL x ok");
  expect(ranges).toEqual([
    { start: 0, end: 4, look: { bold: true, color: "red" } },
    { start: 7, end: 9, look: { color: "green" } },
  ]);
  expect(look).toEqual({ color: "green" });
});

test.each([
  ["\u001b[38;5;196mred\u001b[48;2;1;2;3m on blue", "red on blue"],
  ["\u001b[38;5;2mgreen", "green"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b[2J\u001b[1;1Hcleared", "cleared"],
  ["a\u0008b\u0000c\u009bd", "abcd"],
  ["\u202eevil\u2066", "evil"],
  ["cut \u001b[", "cut "],
  ["end \u001b", "end "],
  ["a\tb", "a       b"],
])("%j is shown as %j", (raw, text) => {
  expect(readAnsi(raw, plainLook).text).toBe(text);
});
