// Which type of job the form is for, as it stands in the address.
import { searchText } from "../search-text.ts";

export interface NewJobSearch {
  type?: string | undefined;
}

export function newJobSearch(search: Record<string, unknown>): NewJobSearch {
  return { type: searchText(search["type"]) };
}
