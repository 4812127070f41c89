// Points in time for people: exact, as a clock, and relative to now.

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const steps: readonly { unit: Intl.RelativeTimeFormatUnit; seconds: number }[] = [
  { unit: "year", seconds: 31_557_600 },
  { unit: "month", seconds: 2_629_800 },
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
];

export function formatExact(time: Date): string {
  return exact.format(time);
}

export function formatClock(time: Date): string {
  return clock.format(time);
}

export function formatRelative(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  for (const step of steps) {
    if (Math.abs(seconds) >= step.seconds) {
      return relative.format(Math.trunc(seconds / step.seconds), step.unit);
    }
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}
