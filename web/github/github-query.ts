// GitHub: how it stands, who has installed the App, a page of the list of events, and one of each.
import type { Event, GithubInstallation } from "@croft/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { type GithubSearch, githubFilter } from "./github-search.ts";
import { byUrgency } from "./installation-state.ts";

export const githubKey = ["github"];

export function githubStateQuery(api: Api) {
  return queryOptions({
    queryKey: [...githubKey, "state"],
    queryFn: ({ signal }) => body(api.GET("/api/github", { signal })),
  });
}

/** So many are known at once; others are shown by their id. */
export const installationsMax = 1_000;

/** All of them, to choose from and to name what events mention by id; those to look at first. */
export function installationsQuery(api: Api) {
  return queryOptions({
    queryKey: [...githubKey, "installations"],
    queryFn: async ({ signal }) => {
      const found: GithubInstallation[] = [];
      for (let cursor: number | undefined; found.length < installationsMax; ) {
        const query = { ...definedOnly({ cursor }), limit: 200 };
        const page = await body(
          api.GET("/api/github/installations", { params: { query }, signal }),
        );
        found.push(...page.installations);
        if (page.next_cursor === null) break;
        cursor = Number(page.next_cursor);
      }
      return found.toSorted(byUrgency);
    },
  });
}

export function installationQuery(api: Api, id: number) {
  return queryOptions({
    queryKey: [...githubKey, "installation", id],
    queryFn: ({ signal }) =>
      body(api.GET("/api/github/installations/{id}", { params: { path: { id } }, signal })),
  });
}

export function githubEventsQuery(api: Api, search: GithubSearch, limit = 50) {
  const query = { ...definedOnly({ ...githubFilter(search), cursor: search.cursor }), limit };
  return queryOptions({
    queryKey: [...githubKey, "events", query],
    queryFn: ({ signal }) => body(api.GET("/api/github/events", { params: { query }, signal })),
    // A change of filters keeps the old rows until the new ones are there.
    placeholderData: keepPreviousData,
  });
}

export function githubEventQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...githubKey, "event", id],
    queryFn: ({ signal }) =>
      body(api.GET("/api/github/events/{id}", { params: { path: { id } }, signal })),
  });
}

/** Whatever is known of installations was told by one. */
export function isOfGithub({ type }: Event): boolean {
  return type.startsWith("inbox.");
}
