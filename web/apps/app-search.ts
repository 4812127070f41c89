// The filters of the list of apps, as they stand in the address.
import { searchText } from "../search-text.ts";

export interface AppSearch {
  search?: string | undefined;
  cursor?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function appSearch(search: Record<string, unknown>): AppSearch {
  return { search: searchText(search["search"]), cursor: searchText(search["cursor"]) };
}

/** A bulk action whose progress is shown on the page of an app. */
export interface BulkSearch {
  bulk?: string | undefined;
}

export function bulkSearch(search: Record<string, unknown>): BulkSearch {
  return { bulk: searchText(search["bulk"]) };
}
