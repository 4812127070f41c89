// The filters of the list of deliveries, as they stand in the address.
import type { DeliveryState } from "@croft/contract";
import { searchText } from "../search-text.ts";

export const deliveryStates = [
  "pending",
  "sending",
  "delivered",
  "failed",
  "quarantined",
  "split",
  "cancelled",
] as const satisfies readonly DeliveryState[];

export const deliveryTypes = [
  "files.changed",
  "sync.failed",
  "sync.recovered",
  "job.finished",
  "ping",
] as const;

export interface DeliverySearch {
  state?: DeliveryState | undefined;
  app?: string | undefined;
  watch?: string | undefined;
  type?: string | undefined;
  cursor?: string | undefined;
  /** A bulk action whose progress is shown. */
  bulk?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function deliverySearch(search: Record<string, unknown>): DeliverySearch {
  return {
    state: deliveryStates.find((state) => state === search["state"]),
    app: searchText(search["app"]),
    watch: searchText(search["watch"]),
    type: deliveryTypes.find((type) => type === search["type"]),
    cursor: searchText(search["cursor"]),
    bulk: searchText(search["bulk"]),
  };
}

/** Which are meant, on whatever page. */
export function deliveryFilter({ state, app, watch, type }: DeliverySearch) {
  return { state, app, watch, type };
}

export function hasFilter(search: DeliverySearch): boolean {
  return Object.values(deliveryFilter(search)).some((value) => value !== undefined);
}
