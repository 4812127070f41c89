// Removes what looks like a secret from free text.

const PATTERNS: readonly [RegExp, string][] = [
  // https://user:password@host
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi, "$1[redacted]@"],
  [/\b(croft_[a-z0-9]+_)[A-Za-z0-9_-]{20,}/g, "$1[redacted]"],
  [/\b(gh[a-z]_|github_pat_|whsec_)[A-Za-z0-9_+/=-]{16,}/g, "$1[redacted]"],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, "$1 [redacted]"],
];

export function redactText(text: string): string {
  return PATTERNS.reduce((redacted, [pattern, put]) => redacted.replace(pattern, put), text);
}
