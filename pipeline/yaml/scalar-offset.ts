// Finds where a character of a scalar's value stands in the YAML text, whatever quotes, folds and indents lie between.
import type { YamlScalar } from "./yaml-node.ts";

/**
 * Spaces and line breaks are what YAML changes between text and value; all other characters come in the same order on
 * both sides. So the place of a visible character is found by counting the visible ones before it.
 */
export function scalarOffset(text: string, scalar: YamlScalar, index: number): number {
  if (typeof scalar.value !== "string") return scalar.start;
  let before = 0;
  for (let at = 0; at < index; at++) if (!isBlank(scalar.value[at])) before++;
  let last = contentStart(text, scalar);
  for (let at = last; at < scalar.end; ) {
    const length = unitLength(text, scalar, at);
    const visible =
      length === 1 ? Number(!isBlank(text[at])) : visibleIn(text.slice(at, at + length));
    if (visible > before) return at;
    if (visible > 0) last = at;
    before -= visible;
    at += length;
  }
  return last;
}

function unitLength(text: string, { style }: YamlScalar, at: number): number {
  if (style === "single-quoted") return text.startsWith("''", at) ? 2 : 1;
  if (style !== "double-quoted" || text[at] !== "\\") return 1;
  return 2 + (HEX_DIGITS[text[at + 1] ?? ""] ?? 0);
}

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** How many visible characters of the value a doubled quote or an escape stands for. */
function visibleIn(unit: string): number {
  if (unit === "''") return 1;
  const escaped = unit[1] ?? "";
  if (escaped in HEX_DIGITS) {
    const code = Number.parseInt(unit.slice(2), 16);
    const decoded = code <= 0x10ffff ? String.fromCodePoint(code) : "?";
    return isBlank(decoded) ? 0 : decoded.length;
  }
  return "nrt \n\r\t".includes(escaped) ? 0 : 1;
}

function contentStart(text: string, { style, start }: YamlScalar): number {
  if (style === "block") return text.indexOf("\n", start) + 1;
  return style === "plain" ? start : start + 1;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}
