// One job with its history, kept current by its own stream of events as long as it has not ended.
import type { Event } from "@croft/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followStream } from "../live/follow-stream.ts";
import { refetch } from "../live/refetch.ts";
import { createRefresher, useLiveQueries } from "../live/use-live-queries.ts";
import { useVisible } from "../live/use-visible.ts";
import { sessionKey } from "../session-query.ts";
import { useApi } from "../use-api.ts";
import { historyQuery, isFinal, jobQuery } from "./job-query.ts";

export function useJob(id: string) {
  const api = useApi();
  const job = useQuery(jobQuery(api, id));
  const history = useQuery(historyQuery(api, id));
  const lastSeq = history.data?.at(-1)?.seq;
  const isOver = job.data?.finished_at != null && isFinal(history.data?.at(-1));
  useJobEvents(id, lastSeq !== undefined && !isOver);
  // Its place in line changes by what happens to others.
  useLiveQueries(jobQuery(api, id).queryKey, isOfQueue, job.data?.status === "queued");
  return { job, events: history.data };
}

function isOfQueue({ type }: Event): boolean {
  return type.startsWith("job.") || type.startsWith("lane.") || type.startsWith("worker.");
}

function useJobEvents(id: string, isWanted: boolean): void {
  const api = useApi();
  const queryClient = useQueryClient();
  const isVisible = useVisible();
  useEffect(() => {
    if (!isWanted || !isVisible) return;
    const leave = new AbortController();
    const { queryKey } = historyQuery(api, id);
    const refresher = createRefresher(() => refetch(queryClient, jobQuery(api, id).queryKey));
    const known = queryClient.getQueryData(queryKey)?.at(-1)?.seq;
    followStream({
      url: `/api/jobs/${encodeURIComponent(id)}/events`,
      signal: leave.signal,
      place: { lastId: known === undefined ? undefined : String(known) },
      // What is cached may be older than what the stream begins with.
      onOpen: refresher.ask,
      onEvents: (received) => {
        const events = received
          .filter(({ type }) => type.startsWith("job."))
          .map(({ data }) => JSON.parse(data) as Event);
        queryClient.setQueryData(queryKey, (before = []) => {
          const last = before.at(-1)?.seq ?? 0;
          return [...before, ...events.filter(({ seq }) => seq > last)];
        });
        refresher.ask();
        return !events.some(isFinal);
      },
    }).catch(() => queryClient.invalidateQueries({ queryKey: sessionKey }));
    return () => {
      leave.abort();
      refresher.stop();
    };
  }, [api, id, queryClient, isWanted, isVisible]);
}
