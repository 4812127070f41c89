// The filters of the list of watched repositories, as they stand in the address.
import type { Watch } from "@croft/contract";
import { searchText } from "../search-text.ts";

export const watchStates = [
  "pending",
  "synced",
  "failing",
] as const satisfies readonly Watch["state"][];

export interface WatchSearch {
  app?: string | undefined;
  state?: Watch["state"] | undefined;
  search?: string | undefined;
  cursor?: string | undefined;
  /** A bulk action whose progress is shown. */
  bulk?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function watchSearch(search: Record<string, unknown>): WatchSearch {
  return {
    app: searchText(search["app"]),
    state: watchStates.find((state) => state === search["state"]),
    search: searchText(search["search"]),
    cursor: searchText(search["cursor"]),
    bulk: searchText(search["bulk"]),
  };
}

/** Which are meant, on whatever page. */
export function watchFilter({ app, state, search }: WatchSearch) {
  return { app, state, search };
}

export function hasFilter(search: WatchSearch): boolean {
  return Object.values(watchFilter(search)).some((value) => value !== undefined);
}

/** What is looked at of one of them. */
export interface FileSearch {
  find?: string | undefined;
}

export function fileSearch(search: Record<string, unknown>): FileSearch {
  return { find: searchText(search["find"]) };
}
