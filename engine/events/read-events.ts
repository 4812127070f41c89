// The events of one subject that are there now: old ones may be forgotten.
import type { Event } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EVENT_COLUMNS, type EventRow, eventOf } from "./event-row.ts";

const READ_MAX = 1000;

export async function readEvents(
  { pool }: Database,
  subject: string,
  afterSeq: number,
): Promise<Event[]> {
  const { rows } = await pool.query<EventRow>(
    `select ${EVENT_COLUMNS} from croft.event where subject = $1 and seq > $2 order by seq limit ${READ_MAX}`,
    [subject, afterSeq],
  );
  return rows.map(eventOf);
}

/** Whether one of these types is still there after this one. */
export async function hasEvent(
  { pool }: Database,
  subject: string,
  { afterSeq, types }: { readonly afterSeq: number; readonly types: readonly string[] },
): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    `select exists (select from croft.event where subject = $1 and seq > $2 and type = any ($3)) as found`,
    [subject, afterSeq, types],
  );
  return rows[0]?.found === true;
}
