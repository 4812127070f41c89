// Names of others, as names of files: one part, visible, short, and nobody's device.
import { expect, test } from "vitest";
import { safeFileName } from "./file-name.ts";

test.each([
  ["report.html", "report.html"],
  ["../../etc/passwd", "__.._etc_passwd"],
  ["/etc/passwd", "_etc_passwd"],
  ["C:\\boot.ini", "C:_boot.ini"],
  [".bashrc", "_bashrc"],
  [".", "_"],
  ["..", "_"],
  ["a\0b\r\nc", "a_b__c"],
  ["photo\u202egpj.exe", "photo_gpj.exe"],
  ["CON", "_CON"],
  ["nul.txt", "_nul.txt"],
  ["console.log", "console.log"],
  ["name. . ", "name_"],
  ["\ud800half", "_half"],
  ["你好.txt", "你好.txt"],
])("%j becomes %j", (name, expected) => {
  expect(safeFileName(name)).toBe(expected);
});

test("a long name is cut in front of its ending, and never within a letter", () => {
  const cut = safeFileName(`${"ü".repeat(250)}.tar.gz`);
  expect(cut.endsWith("ü.tar.gz")).toBe(true);
  expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(200);
});
