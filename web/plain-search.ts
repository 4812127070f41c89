// The query of an address as plain text: `?key=123` is the text 123, as people and curl write it, not a number in JSON.

export function parsePlainSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

export function writePlainSearch(search: Record<string, unknown>): string {
  const filled = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(
    filled.map(([name, value]) => [name, String(value)]),
  ).toString();
  return query === "" ? "" : `?${query}`;
}
