// One job, and what happened to it so far.
import type { Event } from "@croft/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Api, body } from "../api.ts";

export function jobQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ["job", id],
    queryFn: ({ signal }) => body(api.GET("/api/jobs/{id}", { params: { path: { id } }, signal })),
  });
}

export function historyQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: ["job-history", id],
    // Its stream adds to it; fetched again meanwhile, it could lose what came last.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const events: Event[] = [];
      // The server answers with some at a time.
      for (;;) {
        const params = { path: { id }, query: { after: events.at(-1)?.seq ?? 0 } };
        const more = await body(api.GET("/api/jobs/{id}/history", { params, signal }));
        if (more.events.length === 0) return events;
        events.push(...more.events);
        if (isFinal(more.events.at(-1))) return events;
      }
    },
  });
}

/** Nothing comes after it. */
export function isFinal(event: Event | undefined): boolean {
  return event !== undefined && /^job\.(done|failed|cancelled)$/.test(event.type);
}
