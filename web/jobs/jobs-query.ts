// A page of the list of jobs.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { filterOf, type JobSearch } from "./job-search.ts";

export const jobsKey = ["jobs"];

export function jobsQuery(api: Api, search: JobSearch) {
  const query = { ...definedOnly({ ...filterOf(search), cursor: search.cursor }), limit: 50 };
  return queryOptions({
    queryKey: [...jobsKey, query],
    queryFn: ({ signal }) => body(api.GET("/api/jobs", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}
