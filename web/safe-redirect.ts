// Where to go after sign-in: a path of this site, or nothing.

/** Only stands in for our own origin while a path is resolved. */
const origin = "http://croft.invalid";

/**
 * The path as a browser would resolve it, or undefined when it could lead to another site:
 * `//host` and `/\host` name a host, and browsers drop tabs and line breaks and fold `/..` before they look.
 */
export function safeRedirect(value: unknown): string | undefined {
  if (typeof value !== "string" || !isLocalPath(value)) return undefined;
  if (!URL.canParse(value, origin)) return undefined;
  const url = new URL(value, origin);
  if (url.origin !== origin || !isLocalPath(url.pathname)) return undefined;
  return url.pathname + url.search + url.hash;
}

function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path);
}
