// Removes what looks like a secret from free text, plain or inside of a line of JSON.

/** Each goes over the text once: none may try again from every character of a long run. */
const PATTERNS: readonly [RegExp, string][] = [
  // https://user:password@host, whatever the password is made of; a quotation mark ends it unless it is escaped
  [/:\/\/(?:\\.|[^\s/"\\])*@/g, "://[redacted]@"],
  // Without a word's beginning: a line break or a colour code in JSON ends in a letter.
  [/(croft_[a-z0-9]{1,32}_)[A-Za-z0-9_-]{20,}/g, "$1[redacted]"],
  [/(gh[a-z]_|github_pat_|whsec_)[A-Za-z0-9_+/=-]{16,}/g, "$1[redacted]"],
  [/(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, "$1 [redacted]"],
];

export function redactText(text: string): string {
  return PATTERNS.reduce((redacted, [pattern, put]) => redacted.replace(pattern, put), text);
}
