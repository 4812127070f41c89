// The places where this admin is signed in.
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "./api.ts";

export function sessionsQuery(api: Api) {
  return queryOptions({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => body(api.GET("/admin/api/sessions", { signal })),
  });
}
