// Deliveries: a page of their list, and one of them with every try.
import type { Event } from "@croft/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { type DeliverySearch, deliveryFilter } from "./delivery-search.ts";

export const deliveriesKey = ["deliveries"];

export function deliveriesQuery(api: Api, search: DeliverySearch, limit = 50) {
  const query = { ...definedOnly({ ...deliveryFilter(search), cursor: search.cursor }), limit };
  return queryOptions({
    queryKey: [...deliveriesKey, "list", query],
    queryFn: ({ signal }) => body(api.GET("/api/deliveries", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

export function deliveryQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...deliveriesKey, "one", id],
    queryFn: ({ signal }) =>
      body(api.GET("/api/deliveries/{id}", { params: { path: { id } }, signal })),
  });
}

/** What is removed with its watch or its app leaves the list too. */
export function isOfDeliveries({ type }: Event): boolean {
  return /^(delivery\.|watch\.(removed|synced)|app\.)/.test(type);
}
