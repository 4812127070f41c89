// Follows a stream of server-sent events until it is over, and comes back after every break.
// Read with `fetch`, because an EventSource tells nothing of a refusal and cannot go on from an event of an earlier page.
import { ProblemError, readProblem, unreachable } from "../problem-error.ts";
import { readServerEvents, type ServerEvent } from "./read-server-events.ts";

export interface FollowOptions {
  url: string;
  signal: AbortSignal;
  /** The last event that is known already; updated here while the stream goes on. */
  place: { lastId: string | undefined };
  /** The connection stands; after a break again. */
  onOpen?: () => void;
  /** False: the stream is over. */
  onEvents: (events: readonly ServerEvent[]) => boolean;
  /** The connection broke, and is tried again. */
  onBreak?: () => void;
}

const waitMs = { first: 1_000, longest: 15_000 };

/** Resolves when the stream is over or the signal came; throws when the server refuses it for good. */
export async function followStream(options: FollowOptions): Promise<void> {
  const { signal, onBreak } = options;
  for (let delayMs = waitMs.first; !signal.aborted; ) {
    const outcome = await connect(options);
    if (outcome === "over" || signal.aborted) return;
    onBreak?.();
    delayMs = outcome === "was open" ? waitMs.first : Math.min(waitMs.longest, delayMs * 2);
    // Not all at the same moment: a server that comes back meets every open page.
    await pause(delayMs * (0.5 + Math.random() / 2), signal);
  }
}

async function connect(options: FollowOptions): Promise<"over" | "was open" | "failed"> {
  const { url, signal, place, onOpen, onEvents } = options;
  let isOpen = false;
  try {
    const response = await fetch(url, {
      signal,
      cache: "no-store",
      headers: {
        accept: "text/event-stream",
        ...(place.lastId === undefined ? {} : { "last-event-id": place.lastId }),
      },
    });
    if (!response.ok) throw await readProblem(response);
    isOpen = true;
    onOpen?.();
    if (response.status === 204) return "over"; // everything is known already
    if (response.body === null) throw unreachable();
    for await (const events of readServerEvents(response.body)) {
      // What came after the signal belongs to whoever follows next: it would be told twice.
      if (signal.aborted) return "over";
      const goesOn = onEvents(events);
      place.lastId = events.findLast(({ id }) => id !== undefined)?.id ?? place.lastId;
      if (!goesOn) return "over";
    }
  } catch (error) {
    if (isRefusal(error)) throw error;
    // Anything else is a break of the connection, by the network or by our own signal.
  }
  return isOpen ? "was open" : "failed";
}

/** Asking again would not help: not signed in, not there, not allowed. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && [400, 401, 403, 404, 422].includes(error.status);
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
