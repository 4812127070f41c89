// A part of a line cut where its look changes or a match begins or ends, to be drawn piece by piece.
import { type AnsiLook, plainLook } from "./ansi-text.ts";
import { matchesIn } from "./find-in-log.ts";
import type { LogLine } from "./log-lines.ts";

export interface Segment {
  readonly start: number;
  readonly text: string;
  readonly look: AnsiLook;
  readonly isMatch: boolean;
}

export function segmentsOf(
  { text, ranges }: LogLine,
  { start, end }: { start: number; end: number },
  words: string,
): Segment[] {
  const matches = matchesIn(text, words);
  if (ranges.length === 0 && matches.length === 0) {
    return [{ start, text: text.slice(start, end), look: plainLook, isMatch: false }];
  }
  const cuts = [
    start,
    end,
    ...ranges.flatMap((range) => [range.start, range.end]),
    ...matches.flat(),
  ]
    .filter((cut) => cut >= start && cut <= end)
    .sort((a, b) => a - b);
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1] ?? end;
    if (from === to) return [];
    const look = ranges.find((range) => range.start <= from && from < range.end)?.look;
    const isMatch = matches.some(([first, last]) => first <= from && from < last);
    return [{ start: from, text: text.slice(from, to), look: look ?? plainLook, isMatch }];
  });
}
