// One bulk action: how far it has got.
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "./api.ts";

export function bulkQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ["bulk", id],
    queryFn: ({ signal }) => body(api.GET("/api/bulk/{id}", { params: { path: { id } }, signal })),
  });
}
