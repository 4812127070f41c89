// Follows the events of all subjects in one order, behind which nothing can commit any more.
import type { DatabaseListener } from "../database/database-listener.ts";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { EVENT_COLUMNS, type EventRow } from "./event-row.ts";

/** A place in the order of all events. */
export interface FeedCursor {
  readonly xid: bigint;
  readonly place: bigint;
}

export interface FeedReader {
  readonly owner: string | undefined;
  /** False: it wants no more. */
  onEvents(events: readonly EventRow[]): boolean;
  /** What came after its cursor is not all there any more: it has to look at the whole again. */
  onReset(): void;
  /** An older transaction holds everything back that came after it. */
  onDelayed(): void;
}

interface Follower {
  readonly reader: FeedReader;
  cursor: FeedCursor;
  /** What came while it was still reading what had been before. */
  waiting: EventRow[] | undefined;
}

const READ_MAX = 500;
const LOOK_EVERY_MS = 1000;
/** How soon to look again while somebody's older transaction is still open. */
const LOOK_AGAIN_MS = 20;
const DELAYED_AFTER_MS = 5000;
/** Oldest first, and none that another could still commit before. By the columns, not their text of the same name. */
const READ = `
  select ${EVENT_COLUMNS} from croft.event
  where (xid, place) > ($1::text::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
    and ($3::text is null or owner = $3)
  order by event.xid, event.place limit ${READ_MAX}`;
const PENDING = `
  select exists (select from croft.event
    where (xid, place) > ($1::text::xid8, $2::bigint) and xid >= pg_snapshot_xmin(pg_current_snapshot())) as pending`;

export class EventFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #followers = new Set<Follower>();
  readonly #deafen: () => void;
  #tail: FeedCursor | undefined;
  #isReading = false;
  #isStale = false;
  #isClosed = false;
  #heldBackSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, listener: DatabaseListener, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#deafen = listener.hear("croft_event", () => this.#look());
  }

  /** Everything after the cursor, or from now on; until the returned function is called. */
  async follow(reader: FeedReader, after?: FeedCursor): Promise<() => void> {
    const now = await this.#now();
    const follower: Follower = { reader, cursor: after ?? now, waiting: [] };
    if (after !== undefined && (await this.#isForgotten(after))) reader.onReset();
    this.#tail ??= now; // not before the last wait: whoever reads for the last follower forgets it
    this.#followers.add(follower);
    void this.#catchUp(follower);
    return () => void this.#followers.delete(follower);
  }

  close(): void {
    this.#isClosed = true;
    this.#deafen();
    clearTimeout(this.#timer);
    this.#followers.clear();
  }

  async #now(): Promise<FeedCursor> {
    const { rows } = await this.#database.pool.query<{ xid: string }>(
      "select pg_snapshot_xmin(pg_current_snapshot())::text as xid",
    );
    return { xid: BigInt(rows[0]?.xid ?? 0), place: 0n };
  }

  async #isForgotten({ xid }: FeedCursor): Promise<boolean> {
    const { rows } = await this.#database.pool.query<{ forgotten: boolean }>(
      "select xid > $1::text::xid8 as forgotten from croft.event_floor",
      [String(xid)],
    );
    return rows[0]?.forgotten === true;
  }

  async #catchUp(follower: Follower): Promise<void> {
    try {
      for (let isFull = true; isFull && this.#followers.has(follower); ) {
        const rows = await this.#rowsAfter(follower.cursor, follower.reader.owner);
        isFull = rows.length === READ_MAX;
        this.#hand(follower, rows);
      }
      const { waiting = [] } = follower;
      follower.waiting = undefined;
      this.#hand(follower, waiting);
      this.#look();
    } catch (error) {
      this.#log.warn({ err: error }, "events could not be read");
      setTimeout(() => void this.#catchUp(follower), LOOK_EVERY_MS).unref();
    }
  }

  #look(): void {
    this.#isStale = true;
    if (!this.#isReading && this.#followers.size > 0) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    clearTimeout(this.#timer);
    let againMs = LOOK_EVERY_MS;
    try {
      while (this.#isStale && this.#followers.size > 0 && this.#tail !== undefined) {
        this.#isStale = false;
        const rows = await this.#rowsAfter(this.#tail, undefined);
        if (rows.length === READ_MAX) this.#isStale = true;
        const last = rows.at(-1);
        if (last !== undefined) this.#tail = cursorOf(last);
        for (const follower of this.#followers) this.#give(follower, rows);
      }
      if (await this.#isHeldBack()) againMs = LOOK_AGAIN_MS;
    } catch (error) {
      this.#log.warn({ err: error }, "events could not be read");
    } finally {
      this.#isReading = false;
    }
    if (this.#followers.size === 0) this.#tail = undefined;
    else if (!this.#isClosed) this.#timer = setTimeout(() => this.#look(), againMs);
  }

  async #isHeldBack(): Promise<boolean> {
    if (this.#tail === undefined) return false;
    const { xid, place } = this.#tail;
    const { rows } = await this.#database.pool.query<{ pending: boolean }>({
      name: "feed-pending",
      text: PENDING,
      values: [String(xid), String(place)],
    });
    if (rows[0]?.pending !== true) {
      this.#heldBackSince = undefined;
      return false;
    }
    this.#heldBackSince ??= performance.now();
    if (performance.now() - this.#heldBackSince > DELAYED_AFTER_MS) {
      for (const { reader } of this.#followers) reader.onDelayed();
      this.#heldBackSince = performance.now();
    }
    return true;
  }

  #give(follower: Follower, rows: readonly EventRow[]): void {
    const { owner } = follower.reader;
    const own = owner === undefined ? rows : rows.filter((row) => row.owner === owner);
    if (follower.waiting === undefined) this.#hand(follower, own);
    else follower.waiting.push(...own);
  }

  #hand(follower: Follower, rows: readonly EventRow[]): void {
    const fresh = rows.filter((row) => isAfter(cursorOf(row), follower.cursor));
    const last = fresh.at(-1);
    if (last === undefined) return;
    follower.cursor = cursorOf(last);
    if (!follower.reader.onEvents(fresh)) this.#followers.delete(follower);
  }

  async #rowsAfter({ xid, place }: FeedCursor, owner: string | undefined): Promise<EventRow[]> {
    const { rows } = await this.#database.pool.query<EventRow>({
      name: "feed-read",
      text: READ,
      values: [String(xid), String(place), owner ?? null],
    });
    return rows;
  }
}

export function cursorOf({ xid, place }: EventRow): FeedCursor {
  return { xid: BigInt(xid), place: BigInt(place) };
}

function isAfter(one: FeedCursor, other: FeedCursor): boolean {
  return one.xid > other.xid || (one.xid === other.xid && one.place > other.place);
}
