// The events of one subject that are there now: old ones may be forgotten.
import type { Event } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EVENT_COLUMNS, type EventRow, eventOf } from "./event-row.ts";

const READ_MAX = 1000;
const PART_MAX = 500;

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

/** The next ones after this, a part of them if there are many. */
export async function readEventRows(
  { pool }: Database,
  subject: string,
  afterSeq: number,
): Promise<{ readonly rows: readonly EventRow[]; readonly isLast: boolean }> {
  const { rows } = await pool.query<EventRow>({
    name: "read-subject",
    text: `select ${EVENT_COLUMNS} from croft.event where subject = $1 and seq > $2 order by seq limit ${PART_MAX}`,
    values: [subject, afterSeq],
  });
  return { rows, isLast: rows.length < PART_MAX };
}
