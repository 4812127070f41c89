// Sizes at the edges of their units.
import { expect, test } from "vitest";
import { formatBytes } from "./format-bytes.ts";

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1 KiB"],
  [1_536, "1.5 KiB"],
  [148_897_792, "142 MiB"],
  [1_073_741_823, "1 GiB"],
  [999_999_995_904, "931 GiB"],
  [13_194_139_533_312, "12 TiB"],
])("%i bytes are shown as %s", (size, expected) => {
  expect(formatBytes(size)).toBe(expected);
});
