// Apps: a page of their list, one of them, their names, their credentials, and what would go with one.
import type { Event } from "@croft/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import type { AppSearch } from "./app-search.ts";

export const appsKey = ["apps"];

export function appsQuery(api: Api, { search, cursor }: AppSearch) {
  const query = { ...definedOnly({ search, cursor }), limit: 50 };
  return queryOptions({
    queryKey: [...appsKey, "list", query],
    queryFn: ({ signal }) => body(api.GET("/api/apps", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

/** So many names are known at once; others are shown by their id. */
const namesMax = 2_000;

/** All of them, to choose from and to name what lists of other things mention by id. */
export function appNamesQuery(api: Api) {
  return queryOptions({
    queryKey: [...appsKey, "names"],
    queryFn: async ({ signal }) => {
      const names: { id: string; name: string }[] = [];
      for (let cursor: string | undefined; names.length < namesMax; ) {
        const query = { ...definedOnly({ cursor }), limit: 200 };
        const page = await body(api.GET("/api/apps", { params: { query }, signal }));
        names.push(...page.apps.map(({ id, name }) => ({ id, name })));
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      return names.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
    },
  });
}

export function appQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...appsKey, "one", id],
    queryFn: ({ signal }) => body(api.GET("/api/apps/{id}", { params: { path: { id } }, signal })),
  });
}

export function deletionQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ["app-deletion", id],
    // Counted when it is asked for, not remembered.
    gcTime: 0,
    queryFn: ({ signal }) =>
      body(api.GET("/api/apps/{id}/deletion", { params: { path: { id } }, signal })),
  });
}

export function credentialsKey(appId: string) {
  return ["credentials", appId];
}

export function credentialsQuery(api: Api, appId: string) {
  const query = { owner: `app:${appId}`, limit: 200 };
  return queryOptions({
    queryKey: credentialsKey(appId),
    queryFn: ({ signal }) => body(api.GET("/api/credentials", { params: { query }, signal })),
  });
}

/** Deliveries change what is said of an app's address. */
export function isOfApps({ type }: Event): boolean {
  return /^(app|watch|delivery)\./.test(type);
}
