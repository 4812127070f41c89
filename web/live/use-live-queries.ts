// Fetches what a page shows again when something happens that concerns it.
import type { Event } from "@croft/contract";
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { rootRouteId, useRouteContext } from "@tanstack/react-router";
import { useEffect, useSyncExternalStore } from "react";
import type { EventChannel, LiveState } from "./event-channel.ts";
import { refetch } from "./refetch.ts";

/** However much happens, a page asks no more often than this. */
const restMs = 1_000;

/** `concerns` must be the same function at every render. */
export function useLiveQueries(
  queryKey: QueryKey,
  concerns: (event: Event) => boolean,
  isWanted = true,
): void {
  const channel = useEventChannel();
  const queryClient = useQueryClient();
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    if (!isWanted) return;
    const refresher = createRefresher(() => refetch(queryClient, JSON.parse(key) as QueryKey));
    const unsubscribe = channel.subscribe({
      onGap: refresher.ask,
      onEvents: (events) => events.some(concerns) && refresher.ask(),
    });
    // What is cached may be older than the subscription, with an event in between that nobody heard.
    if (queryClient.isFetching({ queryKey: JSON.parse(key) as QueryKey }) === 0) refresher.ask();
    return () => {
      unsubscribe();
      refresher.stop();
    };
  }, [channel, queryClient, key, concerns, isWanted]);
}

export function useLiveState(): LiveState {
  const channel = useEventChannel();
  return useSyncExternalStore(channel.watchState, channel.state);
}

export interface Refresher {
  ask: () => void;
  stop: () => void;
}

/** At once when it is asked, then not before the last is done and a rest is over; asked meanwhile, once more. */
export function createRefresher(refresh: () => Promise<unknown>): Refresher {
  let isAsked = false;
  let isBusy = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async () => {
    isBusy = true;
    isAsked = false;
    await refresh();
    timer = setTimeout(() => {
      isBusy = false;
      if (isAsked && !isStopped) void run();
    }, restMs);
  };
  return {
    ask: () => {
      isAsked = true;
      if (!isBusy && !isStopped) void run();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function useEventChannel(): EventChannel {
  return useRouteContext({ from: rootRouteId, select: (context) => context.live });
}
