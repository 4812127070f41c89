// The headers of a request, whatever framework they come from.

/** As `node:http` has them, or as `fetch` does. */
export type RequestHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/** `name` in lower case. One that came more than once is none: nobody could say which of them was signed. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([found]) => found.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? values[0] : undefined;
}

function isFetchHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}
