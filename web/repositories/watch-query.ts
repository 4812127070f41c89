// Watched repositories: a page of their list, one of them, and its files.
import type { Event } from "@croft/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { type WatchSearch, watchFilter } from "./watch-search.ts";

export const watchesKey = ["watches"];

export function watchesQuery(api: Api, search: WatchSearch, limit = 50) {
  const query = { ...definedOnly({ ...watchFilter(search), cursor: search.cursor }), limit };
  return queryOptions({
    queryKey: [...watchesKey, "list", query],
    queryFn: ({ signal }) => body(api.GET("/api/repositories", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

export function watchQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...watchesKey, "one", id],
    queryFn: ({ signal }) =>
      body(api.GET("/api/repositories/{id}", { params: { path: { id } }, signal })),
  });
}

/** `state` changes whenever there may be others: by another commit, and by other filters. */
export function filesQuery(api: Api, id: string, state: string, search: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["watch-files", id, state, search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const query = { ...definedOnly({ search, cursor: pageParam }), limit: 200 };
      return body(
        api.GET("/api/repositories/{id}/files", { params: { path: { id }, query }, signal }),
      );
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Deliveries change how many are still to come. */
export function isOfWatches({ type }: Event): boolean {
  return /^(watch|delivery)\./.test(type);
}
