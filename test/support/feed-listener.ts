// Follows the feed of all events as a stream does, leaves it and comes back to where it was.
import type { Engine, FeedCursor, FeedEvent, FeedFollowing } from "@croft/engine";
import { onTestFinished } from "vitest";

export interface FeedListener {
  readonly heard: FeedEvent[];
  /** Places from which it was told to look at the whole again. */
  readonly resets: FeedCursor[];
  delays: number;
  /** Where it would come back to. */
  cursor(): FeedCursor | undefined;
  come(): Promise<void>;
  leave(): void;
}

export function feedListener(
  { feed }: Pick<Engine, "feed">,
  { owner, from }: { owner?: string | undefined; from?: FeedCursor | undefined } = {},
): FeedListener {
  let following: FeedFollowing | undefined;
  let last = from;
  const take = (events: readonly FeedEvent[]) => {
    listener.heard.push(...events);
    last = events.at(-1)?.cursor ?? last;
    return true;
  };
  const onReset = (cursor: FeedCursor) => {
    last = cursor;
    listener.resets.push(cursor);
  };
  const listener: FeedListener = {
    ...{ heard: [], resets: [], delays: 0 },
    cursor: () => following?.cursor() ?? last,
    come: async () => {
      const { cursor, isReset } = await feed.begin(last);
      last = cursor;
      if (isReset) onReset(cursor);
      following = feed.follow(
        {
          ...{ owner, onReset, onEvents: take },
          onPast: async (events) => take(events),
          onDelayed: () => void listener.delays++,
        },
        cursor,
      );
    },
    leave: () => {
      last = listener.cursor();
      following?.leave();
      following = undefined;
    },
  };
  onTestFinished(() => listener.leave());
  return listener;
}
