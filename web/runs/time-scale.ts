// A scale of time without long pauses: after a retry the next day, what ran would else be too thin to see.

export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** The share of the scale, between 0 and 1, at which a point in time stands. */
export type TimeScale = (timeMs: number) => number;

/** Nothing at all happened for longer than this: cut out. */
const pauseMs = 60_000;

export function timeScale(intervals: readonly Interval[]): TimeScale {
  const spans = joined(intervals);
  const lengthMs = Math.max(
    1,
    spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0),
  );
  return (timeMs) => {
    let beforeMs = 0;
    for (const { startMs, endMs } of spans) {
      if (timeMs <= startMs) break;
      beforeMs += Math.min(timeMs, endMs) - startMs;
    }
    return beforeMs / lengthMs;
  };
}

/** Those with only short pauses between them as one. */
function joined(intervals: readonly Interval[]): Interval[] {
  const spans: Interval[] = [];
  for (const next of [...intervals].sort((a, b) => a.startMs - b.startMs)) {
    const last = spans.at(-1);
    if (last === undefined || next.startMs - last.endMs > pauseMs) spans.push(next);
    else {
      const endMs = Math.max(last.endMs, next.endMs);
      spans[spans.length - 1] = { startMs: last.startMs, endMs };
    }
  }
  return spans;
}
