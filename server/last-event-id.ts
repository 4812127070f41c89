// What a client says that it saw last.
import { cursorIn, EngineError, type FeedCursor } from "@croft/engine";
import { z } from "zod";

export const LastEventId = z.object({
  "last-event-id": z.string().max(64).optional().describe("goes on after this one"),
});

/** Of a job's, a run's or a log's stream; undefined before the first. */
export function numberIn(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw foreignId();
}

/** Of the stream of all events, perhaps of another database. */
export function placeIn(text: string | undefined): FeedCursor | undefined {
  if (text === undefined || text === "") return undefined;
  const cursor = cursorIn(text);
  if (cursor === undefined) throw foreignId();
  return cursor;
}

export function foreignId(): EngineError {
  return new EngineError("invalid-input", "not valid: Last-Event-ID is not one of this stream's");
}
