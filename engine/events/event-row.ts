// An event as it lies in the database, and as it goes over the wire.
import type { Event } from "@croft/contract";

export interface EventRow {
  readonly subject: string;
  readonly seq: number;
  readonly owner: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly at: Date;
  /** Its place among all events; text, because JavaScript's numbers are too small. */
  readonly xid: string;
  readonly place: string;
}

export const EVENT_COLUMNS =
  "subject, seq, owner, type, data, at, xid::text as xid, place::text as place";

export function eventOf({ subject, seq, owner, type, data, at }: EventRow): Event {
  return { subject, seq, owner, type, data, at: at.toISOString() };
}
