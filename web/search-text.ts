// One value of an address' query, if there is one.

/** Longer than any name, id or cursor. */
const lengthMax = 300;

export function searchText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, lengthMax) : undefined;
}
