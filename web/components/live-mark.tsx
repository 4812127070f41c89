// Says whether what is shown keeps itself current.
import type { LiveState } from "../live/event-channel.ts";
import { useLiveState } from "../live/use-live-queries.ts";

const faces: Record<LiveState, { words: string; hint: string; dot: string }> = {
  connecting: {
    words: "Connecting",
    hint: "What is shown was current when the page was opened.",
    dot: "bg-line-strong",
  },
  live: { words: "Live", hint: "Changes appear by themselves.", dot: "bg-ok" },
  delayed: {
    words: "Delayed",
    hint: "A long write in the database holds events back.",
    dot: "bg-warn-mark",
  },
  broken: {
    words: "Not connected",
    hint: "The connection broke; it is tried again.",
    dot: "bg-bad-mark",
  },
};

export function LiveMark() {
  const { words, hint, dot } = faces[useLiveState()];
  return (
    <p
      role="status"
      title={hint}
      className="mr-2 flex items-center gap-2 text-ink-faint text-sm last:mr-0"
    >
      <span aria-hidden className={`size-2 rounded-full ${dot}`} />
      {words}
    </p>
  );
}
