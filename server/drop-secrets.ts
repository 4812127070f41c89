// Replaces the values of keys that hold secrets, at any depth of what is logged.

export const SECRET_KEYS = ["authorization", "cookie", "set-cookie", "password", "token", "secret"];

const secretKeys: ReadonlySet<string> = new Set(SECRET_KEYS);
/** Deeper things are not worth a log line; a circle ends here too. */
const DEPTH_MAX = 8;

export function dropSecrets(details: Record<string, unknown>): Record<string, unknown> {
  return dropBelow(details, 0) as Record<string, unknown>;
}

function dropBelow(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  if (depth === DEPTH_MAX) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => dropBelow(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value; // a date, a buffer: has its own way
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKeys.has(key.toLowerCase()) ? "[redacted]" : dropBelow(item, depth + 1),
    ]),
  );
}
