// A page of the assets, one of them, and those that one job or run made.
import type { Asset, Event } from "@croft/contract";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { type AssetSearch, filterOf } from "./asset-search.ts";

export const assetsKey = ["assets"];

/** As many as fill whole rows of cards, however many stand in one. */
const pageLength = 48;

export function assetsQuery(api: Api, search: AssetSearch) {
  const query = {
    ...definedOnly({ ...filterOf(search), cursor: search.cursor }),
    limit: pageLength,
  };
  return queryOptions({
    queryKey: [...assetsKey, query],
    queryFn: ({ signal }) => body(api.GET("/api/assets", { params: { query }, signal })),
    // A change of filters keeps the old cards until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

export function assetQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ["asset", id],
    queryFn: ({ signal }) =>
      body(api.GET("/api/assets/{id}", { params: { path: { id } }, signal })),
  });
}

export interface MadeFilter {
  run?: string;
  job?: string;
  kind?: Asset["kind"];
}

/** `state` changes whenever there may be more of them: files appear together with the end of their job or step. */
export function madeAssetsQuery(api: Api, filter: MadeFilter, state: string) {
  return infiniteQueryOptions({
    queryKey: [...assetsKey, "made", filter, state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) => {
      const query = { ...filter, ...definedOnly({ cursor: pageParam }), limit: 100 };
      return body(api.GET("/api/assets", { params: { query }, signal }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function isOfAssets({ type }: Event): boolean {
  return type.startsWith("asset.");
}
