// What the feed asks the database. It sees nothing that another transaction could still commit before.
import type { Database } from "../database/open-database.ts";
import { EVENT_COLUMNS, type EventRow } from "./event-row.ts";
import { cursorOf, type FeedCursor, isAfter } from "./feed-cursor.ts";

export interface FeedEvent extends EventRow {
  readonly cursor: FeedCursor;
}

export interface FeedPart {
  readonly events: readonly FeedEvent[];
  /** Everything up to here was looked at. */
  readonly end: FeedCursor;
  readonly isLast: boolean;
}

type Pool = Database["pool"];

const READ_MAX = 500;
/** Others' events that are passed by in one statement: some milliseconds, however many there are in all. */
const PASS_MAX = 10_000;
/** Ordered by the columns, not by their text of the same name. */
const AFTER = `
  where (xid, place) > ($1::text::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
  order by event.xid, event.place`;

export async function readFeed(
  pool: Pool,
  after: FeedCursor,
  owner?: string | undefined,
): Promise<FeedPart> {
  return owner === undefined ? await readAll(pool, after) : await readOwn(pool, after, owner);
}

async function readAll(pool: Pool, after: FeedCursor): Promise<FeedPart> {
  const { rows } = await pool.query<EventRow>({
    name: "feed-all",
    text: `select ${EVENT_COLUMNS} from croft.event ${AFTER} limit ${READ_MAX}`,
    values: [String(after.xid), String(after.place)],
  });
  const events = rows.map((row) => ({ ...row, cursor: cursorOf(row, after.era) }));
  return { events, end: events.at(-1)?.cursor ?? after, isLast: rows.length < READ_MAX };
}

/** There is no index by owner, for which every event would pay: whoever comes back passes by what was others'. */
const READ_OWN = `
  with passed as materialized (
    select xid, place, owner from croft.event ${AFTER} limit ${PASS_MAX}
  ), end_of as (
    select xid::text as end_xid, place::text as end_place, (select count(*)::integer from passed) as passed
    from passed order by passed.xid desc, passed.place desc limit 1
  )
  select end_of.*, own.* from end_of left join (
    select e.* from (select xid, place from passed where owner = $3 order by xid, place limit ${READ_MAX}) p
    cross join lateral (
      select ${EVENT_COLUMNS} from croft.event where event.xid = p.xid and event.place = p.place limit 1) e
    order by p.xid, p.place
  ) own on true`;

interface OwnRow extends EventRow {
  readonly end_xid: string;
  readonly end_place: string;
  readonly passed: number;
}

async function readOwn(pool: Pool, after: FeedCursor, owner: string): Promise<FeedPart> {
  const { rows } = await pool.query<OwnRow | (OwnRow & { readonly subject: null })>({
    name: "feed-own",
    text: READ_OWN,
    values: [String(after.xid), String(after.place), owner],
  });
  const [first] = rows;
  if (first === undefined) return { events: [], end: after, isLast: true };
  const events = rows
    .filter((row) => row.subject !== null)
    .map(({ end_xid, end_place, passed, ...row }) => ({
      ...row,
      cursor: cursorOf(row, after.era),
    }));
  const last = events.at(-1);
  if (last !== undefined && events.length === READ_MAX) {
    return { events, end: last.cursor, isLast: false };
  }
  const end = cursorOf({ xid: first.end_xid, place: first.end_place }, after.era);
  return { events, end, isLast: first.passed < PASS_MAX };
}

export interface FeedBounds {
  /** The newest event. What is still to commit comes after it, also after a crash, because it is on disk itself. */
  readonly newest: FeedCursor;
  /** Numbers from here on nobody can have seen yet. */
  readonly xmin: bigint;
  /** Up to here events have been forgotten. */
  readonly floor: FeedCursor;
}

export async function readBounds(pool: Pool): Promise<FeedBounds> {
  const { rows } = await pool.query<
    Record<"era" | "floor_xid" | "floor_place" | "xmin", string> & NewestRow
  >({
    name: "feed-bounds",
    text: `
      select f.era, f.xid::text as floor_xid, f.place::text as floor_place,
        pg_snapshot_xmin(pg_current_snapshot())::text as xmin, n.*
      from croft.event_floor f left join (
        select xid::text as xid, place::text as place from croft.event where xid < pg_snapshot_xmin(pg_current_snapshot())
        order by event.xid desc, event.place desc limit 1) n on true`,
  });
  const [row] = rows;
  if (row === undefined) throw new Error("croft.event_floor has no row");
  const floor = cursorOf({ xid: row.floor_xid, place: row.floor_place }, row.era);
  const last = cursorOf({ xid: row.xid ?? "0", place: row.place ?? "0" }, row.era);
  const newest = isAfter(last, floor) ? last : floor;
  return { newest, floor, xmin: BigInt(row.xmin) };
}

interface NewestRow {
  readonly xid: string | null;
  readonly place: string | null;
}

export interface FeedState {
  readonly era: string;
  /** There is more, but somebody's older transaction could still commit before it. */
  readonly is_held_back: boolean;
  /** There are events with numbers that this cluster has not given yet. */
  readonly has_foreign: boolean;
  /** The database has forgotten numbers that were seen: it is not where it was. */
  readonly is_ahead: boolean;
}

export async function readState(pool: Pool, { xid, place }: FeedCursor): Promise<FeedState> {
  const { rows } = await pool.query<FeedState>({
    name: "feed-state",
    text: `
      select era,
        exists (select from croft.event
          where (xid, place) > ($1::text::xid8, $2::bigint) and xid >= pg_snapshot_xmin(pg_current_snapshot())) as is_held_back,
        exists (select from croft.event where xid >= pg_snapshot_xmax(pg_current_snapshot())) as has_foreign,
        $1::text::xid8 >= pg_snapshot_xmin(pg_current_snapshot()) as is_ahead
      from croft.event_floor`,
    values: [String(xid), String(place)],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("croft.event_floor has no row");
  return row;
}
