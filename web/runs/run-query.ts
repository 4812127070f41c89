// A page of the list of runs, one run with its steps, and its workspaces.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import type { RunsSearch } from "./run-search.ts";

export const runsKey = ["runs"];

export function runsQuery(api: Api, { status, name, cursor }: RunsSearch) {
  const query = { ...definedOnly({ status, name, cursor }), limit: 50 };
  return queryOptions({
    queryKey: [...runsKey, query],
    queryFn: ({ signal }) => body(api.GET("/api/runs", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

export function runKey(id: string) {
  return ["run", id];
}

export function runQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: runKey(id),
    queryFn: ({ signal }) => body(api.GET("/api/runs/{id}", { params: { path: { id } }, signal })),
  });
}

/** `state` changes whenever one may have come or gone. */
export function runWorkspacesQuery(api: Api, id: string, state: string) {
  return queryOptions({
    queryKey: ["run-workspaces", id, state],
    queryFn: ({ signal }) =>
      body(api.GET("/api/runs/{id}/workspaces", { params: { path: { id } }, signal })),
    placeholderData: keepPreviousData,
  });
}
