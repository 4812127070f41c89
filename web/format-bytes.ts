// Sizes for people: binary units, three significant digits.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

export interface Quantity {
  value: string;
  unit: string;
}

export function splitBytes(sizeBytes: number): Quantity {
  let value = sizeBytes;
  let unit: string = units[0];
  for (const next of units.slice(1)) {
    // 1023.6 would be shown as 1024, which is one of the next unit.
    if (Math.round(value) < 1024) break;
    value /= 1024;
    unit = next;
  }
  const digits = value >= 100 || unit === units[0] ? 0 : value >= 10 ? 1 : 2;
  return { value: Number(value.toFixed(digits)).toLocaleString("en"), unit };
}

export function formatBytes(sizeBytes: number): string {
  const { value, unit } = splitBytes(sizeBytes);
  return `${value} ${unit}`;
}
