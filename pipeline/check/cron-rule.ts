// Whether a cron line can be right: five fields, or six with seconds first, each within its range.

interface Field {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const SECOND: Field = { what: "second", from: 0, to: 59 };
const FIELDS: readonly Field[] = [
  { what: "minute", from: 0, to: 59 },
  { what: "hour", from: 0, to: 23 },
  { what: "day of the month", from: 1, to: 31 },
  { what: "month", from: 1, to: 12, names: MONTHS },
  { what: "day of the week", from: 0, to: 7, names: DAYS },
];

export function cronFault(line: string): string | undefined {
  const parts = line.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) {
    return `a cron line has five fields, or six with seconds; this has ${parts.length}`;
  }
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? "";
    const isGood = part.split(",").every((entry) => isEntry(entry, field));
    if (!isGood) return `'${part.slice(0, 40)}' is no ${field.what} (${field.from} to ${field.to})`;
  }
  return undefined;
}

/** As schedules of a server have it: `*`, `5`, `mon`, `1-5`, each with `/2`; `L` the last day of a month, `mon#2` its second Monday. */
function isEntry(entry: string, field: Field): boolean {
  const [range = "", step, more] = entry.split("/");
  if (more !== undefined || (step !== undefined && !/^[1-9]\d?$/.test(step))) return false;
  if (range === "*" || (field.what === "day of the month" && /^L$/i.test(entry))) return true;
  const bare = field.what === "day of the week" ? range.replace(/#[1-5]$/, "") : range;
  const [first, last, third] = bare.split("-").map((value) => numberOf(value, field));
  if (first === undefined || third !== undefined) return false;
  return bare.includes("-") ? last !== undefined && first <= last : true;
}

function numberOf(text: string, { from, to, names }: Field): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + (from === 1 ? 1 : 0);
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

export function timezoneFault(timezone: string): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return undefined;
  } catch {
    return `there is no time zone '${timezone.slice(0, 60)}'`;
  }
}
