// Finds words in a log, without regard to upper and lower case.
import type { LogLine } from "./log-lines.ts";

/** More would not be walked through one by one. */
export const matchesMax = 10_000;

/** The lines that contain it, by their place. */
export function findInLog(lines: readonly LogLine[], words: string): number[] {
  const found: number[] = [];
  if (words === "") return found;
  const pattern = patternOf(words, "i");
  for (let index = 0; index < lines.length && found.length < matchesMax; index++) {
    if (pattern.test(lines[index]?.text ?? "")) found.push(index);
  }
  return found;
}

/** Where it stands in one line: pairs of start and end. */
export function matchesIn(text: string, words: string): (readonly [number, number])[] {
  if (words === "") return [];
  return [...text.matchAll(patternOf(words, "gi"))].map(
    ({ index, 0: match }) => [index, index + match.length] as const,
  );
}

/** A pattern, because it finds without making a copy of every line; the words are taken literally. */
function patternOf(words: string, flags: string): RegExp {
  return new RegExp(words.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"), flags);
}
