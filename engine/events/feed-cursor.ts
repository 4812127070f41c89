// A place in the order of all events; its text is the `id:` of /api/events.
import type { EventRow } from "./event-row.ts";

export interface FeedCursor {
  /** Of which numbers it speaks: another database's, or those from before a restore, mean nothing in this one. */
  readonly era: string;
  readonly xid: bigint;
  readonly place: bigint;
}

const TEXT = /^(?:([0-9a-f]{8})-)?(\d{1,19})-(\d{1,18})$/;

export function cursorText({ era, xid, place }: FeedCursor): string {
  return `${era}-${xid}-${place}`;
}

/** Undefined when it is none, of whatever database. */
export function cursorIn(text: string): FeedCursor | undefined {
  const [, era = "", xid, place] = TEXT.exec(text) ?? [];
  if (xid === undefined || place === undefined) return undefined;
  return { era, xid: BigInt(xid), place: BigInt(place) };
}

export function cursorOf({ xid, place }: Pick<EventRow, "xid" | "place">, era: string): FeedCursor {
  return { era, xid: BigInt(xid), place: BigInt(place) };
}

/** Within one era. */
export function isAfter(one: FeedCursor, other: FeedCursor): boolean {
  return one.xid > other.xid || (one.xid === other.xid && one.place > other.place);
}
