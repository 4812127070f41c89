// The numbers of the overview page.
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "./api.ts";

export function overviewQuery(api: Api) {
  return queryOptions({
    queryKey: ["overview"],
    queryFn: ({ signal }) => body(api.GET("/api/overview", { signal })),
  });
}
