// Whether the installation still has no admin.
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "./api.ts";

export function setupQuery(api: Api) {
  return queryOptions({
    queryKey: ["setup"],
    queryFn: ({ signal }) => body(api.GET("/api/setup", { signal })),
  });
}
