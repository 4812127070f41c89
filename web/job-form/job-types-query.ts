// What can be submitted.
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";

export function jobTypesQuery(api: Api) {
  return queryOptions({
    queryKey: ["job-types"],
    queryFn: ({ signal }) => body(api.GET("/api/job-types", { signal })),
  });
}
