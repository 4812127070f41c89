// Numbers, sizes and days as people read them, alike on every machine.

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

export function pluralText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const number = unit === 0 || value >= 100 ? String(Math.round(value)) : value.toFixed(1);
  return `${number} ${UNITS[unit]}`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  return `${percent.toFixed(1)} %`;
}

/** Of seconds since 1970, in UTC: `14 Nov 2026`. */
export function dayText(seconds: number): string {
  const day = new Date(seconds * 1000);
  return `${day.getUTCDate()} ${monthName(day)} ${day.getUTCFullYear()}`;
}

export function monthName(day: Date): string {
  return MONTHS[day.getUTCMonth()] ?? "";
}

/** For coordinates: short, and never in the notation that CSS does not read. */
export function coordinate(value: number): string {
  return String(Number(value.toFixed(2)));
}
