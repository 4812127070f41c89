// A number of bytes as people say it.

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

export function byteText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
