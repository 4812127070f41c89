// Whether the database can keep a value as JSON.
import { storable } from "../jobs/job-failure.ts";

/** For whoever made the value. */
export const NOT_STORABLE =
  "has the character U+0000, or half of a surrogate pair: it cannot be kept";

/** PostgreSQL refuses both, and with them the whole transaction. */
export function isStorable(value: unknown): boolean {
  if (typeof value === "string") return storable(value) === value;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member));
}
