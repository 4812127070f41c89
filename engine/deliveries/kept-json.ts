// JSON as the database takes it: what apps and remotes wrote may be cut anywhere, and say anything.

/**
 * PostgreSQL refuses U+0000 and halves of surrogate pairs, and with them the whole statement: one name that was cut in the
 * middle of a character would hold back all that is told together with it.
 */
export function keptJson(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  // Both are written as escapes, so that most values are looked at once.
  return text.includes("\\u") ? JSON.stringify(value, wellFormed) : text;
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string"
    ? value.replace(/\p{Surrogate}/gu, "\u{FFFD}").replaceAll("\0", "\u{FFFD}")
    : value;
}
