// What a job writes can colour the terminal of whoever reads its log, and nothing else.
import { expect, test } from "vitest";
import { plainText, TerminalText } from "./terminal-text.ts";

function shown(...pieces: string[]): string {
  const text = new TerminalText({ keepsColours: true });
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
}

test.each([
  ["plain text", "grüße\t日本 🙂\n", "grüße\t日本 🙂\n"],
  ["colours", "\x1b[1;31mred\x1b[0m\n", "\x1b[1;31mred\x1b[0m\n\x1b[0m"],
  ["colours by number", "\x1b[38:2::1:2:3mx", "\x1b[38:2::1:2:3mx\x1b[0m"],
  ["the reset without a number", "\x1b[mx", "\x1b[mx\x1b[0m"],
  ["a cleared screen", "a\x1b[2J\x1b[Hb", "ab"],
  ["a private mode", "a\x1b[?1049hb", "ab"],
  ["something that only ends like a colour", "a\x1b[>4;2mb\x1b[?4mc", "abc"],
  ["a title", "a\x1b]0;rm -rf\x07b", "ab"],
  ["a link", "a\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\b", "atextb"],
  ["the clipboard", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"],
  ["a device string", "a\x1bP$q m\x1b\\b", "ab"],
  ["sequences of one character", "a\x9b2Jb\x9d0;t\x9cc\x90q\x9cd", "abcd"],
  ["a character set", "a\x1b(0b\x1b#8c", "abc"],
  ["a reset of the terminal", "a\x1bcb", "ab"],
  ["bells, backspaces and the like", "a\x07\b\x00\x7f\x0e\x84b", "ab"],
  ["a line that is written over", "10 %\r20 %\rdone\n", "10 %\n20 %\ndone\n"],
  ["lines of other systems", "a\r\nb\r\r\nc", "a\nb\nc"],
  ["a sequence that is broken off", "a\x1b[31\nb", "a\nb"],
  ["an escape in an escape", "a\x1b\x1b[2Jb", "ab"],
  ["a string without an end", "a\x1b]0;never\nthe rest\n", "a\nthe rest\n"],
  ["a sequence without an end", `a\x1b[${"1;".repeat(5000)}mb`, "ab"],
])("%s", (_name, written, expected) => {
  expect(shown(written)).toBe(expected);
  expect(shown(...written)).toBe(expected); // wherever the pieces are cut
});

test("without colours there is no escape at all", () => {
  const text = new TerminalText({ keepsColours: false });
  expect(text.push("\x1b[31mred\x1b[0m") + text.end()).toBe("red");
});

test("a cell is one line", () => {
  expect(plainText(" a\x1b[31mb\n\tc\r\nd ")).toBe("ab c d");
});
