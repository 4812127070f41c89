// Durations as people write them: "500ms", "30s", "15m", "12h", "7d".
import { z } from "zod";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PATTERN = /^(\d{1,9})(ms|s|m|h|d)$/;

/** A schema whose input is such a text and whose output is milliseconds, within limits that timers can keep. */
export function duration(shortest: string, longest: string) {
  return z
    .string()
    .regex(PATTERN, 'must be a duration such as "500ms", "30s", "15m", "12h" or "7d"')
    .transform(durationMs)
    .refine(
      (ms) => ms >= durationMs(shortest) && ms <= durationMs(longest),
      `must be from ${shortest} to ${longest}`,
    );
}

/** Several, divided by commas. */
export function durations(shortest: string, longest: string, most: number) {
  const each = duration(shortest, longest);
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(each).min(1).max(most));
}

function durationMs(text: string): number {
  const [, amount, unit] = PATTERN.exec(text) ?? [];
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
