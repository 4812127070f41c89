// Durations as people write them: "500ms", "30s", "10m", "24h", "7d".
import { DURATION_PATTERN } from "./format/field.ts";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Of a text that fits the pattern. */
export function durationMs(text: string): number {
  const [, amount, unit] = DURATION_PATTERN.exec(text) ?? [];
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
