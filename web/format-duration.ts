// How long something took or has lasted, for people.

const secondsPerDay = 86_400;

/** `3 d 04:12:33`: a fixed width for a given number of digits, so that a running clock does not shake. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const days = Math.floor(seconds / secondsPerDay);
  const clock = [seconds / 3600, seconds / 60, seconds]
    .map((part, index) => Math.floor(part) % (index === 0 ? 24 : 60))
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
  return days === 0 ? clock : `${days.toLocaleString("en")} d ${clock}`;
}

/** Milliseconds with as many digits as matter: `0.84`, `12.5`, `340`. */
export function formatMilliseconds(durationMs: number): string {
  const digits = durationMs >= 100 ? 0 : durationMs >= 10 ? 1 : 2;
  return Number(durationMs.toFixed(digits)).toLocaleString("en");
}

/** `340 ms`, `2.4 s`, `12 min 5 s`, `3 h 20 min`, `2 d 4 h`: the two parts that matter. */
export function formatElapsed(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000)
    return `${ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, "") : Math.floor(ms / 1000)} s`;
  const seconds = Math.floor(ms / 1000);
  const [days, hours, minutes] = [
    seconds / 86_400,
    (seconds / 3_600) % 24,
    (seconds / 60) % 60,
  ].map(Math.floor) as [number, number, number];
  if (days > 0) return `${days.toLocaleString("en")} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}
