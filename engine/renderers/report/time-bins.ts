// Divides a span of time into hours, days, weeks, months, quarters or years, so that a plot has neither too few nor too many.
import { monthName } from "./figures.ts";

export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";

export interface TimeBins {
  readonly unit: TimeUnit;
  /** Where each begins, in seconds since 1970. */
  readonly starts: readonly number[];
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const LIMITS: readonly (readonly [TimeUnit, number])[] = [
  ["hour", 4],
  ["day", 100],
  ["week", 800],
  ["month", 3700],
  ["quarter", 11_000],
];
const MONTHS: Partial<Record<TimeUnit, number>> = { month: 1, quarter: 3, year: 12 };

export function timeBins(from: number, to: number): TimeBins {
  const days = (to - from) / DAY;
  const unit = LIMITS.find(([, daysMax]) => days <= daysMax)?.[0] ?? "year";
  const starts: number[] = [];
  for (let start = startOf(unit, from); start <= to; start = nextOf(unit, start))
    starts.push(start);
  return { unit, starts };
}

/** The one that a time is in; those outside are in the first or last. */
export function binOf({ starts }: TimeBins, time: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function binText({ unit }: TimeBins, start: number): string {
  const day = new Date(start * 1000);
  const year = day.getUTCFullYear();
  switch (unit) {
    case "year":
      return String(year);
    case "quarter":
      return `Q${Math.floor(day.getUTCMonth() / 3) + 1} ${year}`;
    case "month":
      return `${monthName(day)} ${year}`;
    case "hour":
      return `${dayOf(day)}, ${day.getUTCHours()}:00`;
    default:
      return dayOf(day);
  }
}

function dayOf(day: Date): string {
  return `${day.getUTCDate()} ${monthName(day)} ${day.getUTCFullYear()}`;
}

/** Weeks begin on Monday, which the first day of 1970 was not. */
function startOf(unit: TimeUnit, time: number): number {
  if (unit === "hour") return Math.floor(time / HOUR) * HOUR;
  if (unit === "day") return Math.floor(time / DAY) * DAY;
  if (unit === "week") return Math.floor((time / DAY + 3) / 7) * 7 * DAY - 3 * DAY;
  const months = MONTHS[unit] ?? 1;
  const day = new Date(time * 1000);
  return monthStart(day.getUTCFullYear(), Math.floor(day.getUTCMonth() / months) * months);
}

function nextOf(unit: TimeUnit, start: number): number {
  if (unit === "hour") return start + HOUR;
  if (unit === "day") return start + DAY;
  if (unit === "week") return start + 7 * DAY;
  const day = new Date(start * 1000);
  return monthStart(day.getUTCFullYear(), day.getUTCMonth() + (MONTHS[unit] ?? 1));
}

function monthStart(year: number, month: number): number {
  return Date.UTC(year, month, 1) / 1000;
}
