// Replaces the values of keys that hold secrets, at any depth of what is logged.
import { describeError } from "./describe-error.ts";

export const SECRET_KEYS = ["authorization", "cookie", "set-cookie", "password", "token", "secret"];

/** Also as a part of a longer name: `access_token`, `passwordHash`. */
const SECRET_KEY = /authorization|cookie|password|token|secret/i;
/** Deeper things are not worth a log line; a circle ends here too. */
const DEPTH_MAX = 8;

export function dropSecrets(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, dropIn(key, value, 1)]),
  );
}

function dropIn(key: string, value: unknown, depth: number): unknown {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (SECRET_KEY.test(key)) return "[redacted]";
  if (typeof value !== "object") return value;
  if (value instanceof Error) return describeError(value);
  if (depth === DEPTH_MAX) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => dropIn("", item, depth + 1));
  if ("toJSON" in value || ArrayBuffer.isView(value)) return value; // a date, a URL: has its own way
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, dropIn(name, item, depth + 1)]),
  );
}
