// What runs and waits, the lanes, and the workers.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";

export const queueKey = ["queue"];
export const workersKey = ["workers"];

export interface LaneSearch {
  owner?: string | undefined;
  cursor?: string | undefined;
}

export function laneSearch(search: Record<string, unknown>): LaneSearch {
  const { owner, cursor } = search;
  return {
    owner: typeof owner === "string" && owner !== "" ? owner.slice(0, 200) : undefined,
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
  };
}

export function queueQuery(api: Api) {
  return queryOptions({
    queryKey: [...queueKey, "state"],
    queryFn: ({ signal }) => body(api.GET("/admin/api/queue", { signal })),
  });
}

export function lanesQuery(api: Api, search: LaneSearch) {
  return queryOptions({
    queryKey: [...queueKey, "lanes", search],
    queryFn: ({ signal }) =>
      body(
        api.GET("/admin/api/lanes", {
          params: { query: { ...definedOnly(search), limit: 50 } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function workersQuery(api: Api) {
  return queryOptions({
    queryKey: workersKey,
    queryFn: ({ signal }) => body(api.GET("/admin/api/workers", { signal })),
  });
}
