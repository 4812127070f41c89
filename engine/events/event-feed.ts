// Follows the events of all subjects in one order, behind which nothing can commit any more.
import type { DatabaseListener } from "../database/database-listener.ts";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { adoptEvents } from "./adopt-events.ts";
import { type FeedCursor, isAfter } from "./feed-cursor.ts";
import { type FeedEvent, readBounds, readFeed, readState } from "./read-feed.ts";

export interface FeedReader {
  readonly owner: string | undefined;
  /** What has just happened. False: it wants no more. */
  onEvents(events: readonly FeedEvent[]): boolean;
  /** What happened before it came, as fast as it takes it. False: it wants no more. */
  onPast(events: readonly FeedEvent[]): Promise<boolean>;
  /** It may have missed some, and goes on from here: it has to look at the whole again. */
  onReset(cursor: FeedCursor): void;
  /** An older transaction holds everything back that came after it. */
  onDelayed(): void;
}

export interface FeedStart {
  readonly cursor: FeedCursor;
  /** What came after the place that was asked for is not all there. */
  readonly isReset: boolean;
}

export interface FeedFollowing {
  leave(): void;
  /** Up to here everything was told, others' too. Undefined while it is behind: what it is told says more then. */
  cursor(): FeedCursor | undefined;
}

/**
 *   behind ──(has read up to the tail)──▶ live ──▶ gone
 *
 * Whoever is behind reads for itself, at its own pace. All that are live share one read, at the tail.
 */
interface Follower {
  readonly reader: FeedReader;
  cursor: FeedCursor;
  isGone: boolean;
  /** Its read has failed: whether its place still means anything is to be seen. */
  isDoubtful: boolean;
}

const LOOK_EVERY_MS = 1000;
/** How soon to look again while somebody's older transaction is still open; after a while less often. */
const HELD_BACK = { lookMs: 20, untilMs: 1000, thenMs: 250 } as const;
const DELAYED_AFTER_MS = 5000;

export class EventFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #live = new Set<Follower>();
  readonly #deafen: () => void;
  /** Where the live ones stand. There is none without them: what happens while nobody listens is not read. */
  #tail: FeedCursor | undefined;
  #isReading = false;
  #isStale = false;
  #isClosed = false;
  /** The connection was lost: another cluster may have taken over. */
  #isDoubtful = false;
  #heldBack: { readonly since: number; toldAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, listener: DatabaseListener, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#deafen = listener.hear("croft_event", (ids) => {
      if (ids === "*") this.#isDoubtful = true; // the listener's connection is a new one
      this.#look();
    });
  }

  /** Where to begin for whoever was told everything up to this place; without one, at what happens from now on. */
  async begin(after?: FeedCursor): Promise<FeedStart> {
    await this.#resolveDoubt();
    const { newest, xmin, floor } = await readBounds(this.#database.pool);
    if (after === undefined) return { cursor: newest, isReset: false };
    if (after.era !== newest.era || after.xid >= xmin) return { cursor: newest, isReset: true };
    return { cursor: after, isReset: isAfter(floor, after) }; // what is left of it still comes
  }

  /** Everything after the cursor, until it leaves. */
  follow(reader: FeedReader, cursor: FeedCursor): FeedFollowing {
    const follower: Follower = { reader, cursor, isGone: false, isDoubtful: false };
    void this.#catchUp(follower);
    return {
      leave: () => this.#leave(follower),
      cursor: () => (this.#live.has(follower) ? follower.cursor : undefined),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#deafen();
    for (const follower of [...this.#live]) this.#leave(follower);
  }

  #leave(follower: Follower): void {
    follower.isGone = true;
    this.#live.delete(follower);
    if (this.#live.size > 0) return;
    this.#tail = undefined;
    this.#heldBack = undefined;
    clearTimeout(this.#timer);
  }

  async #catchUp(follower: Follower): Promise<void> {
    const { reader } = follower;
    try {
      if (follower.isDoubtful) await this.#beginAgain(follower);
      while (!follower.isGone && !this.#isClosed) {
        const tail = this.#tail;
        const { events, end, isLast } = await readFeed(
          this.#database.pool,
          follower.cursor,
          reader.owner,
        );
        if (follower.isGone) return;
        if (events.length > 0 && !(await reader.onPast(events))) return this.#leave(follower);
        follower.cursor = end;
        if (!isLast) continue;
        // The tail was there before this read: whatever is up to it has been told, or is gone.
        if (isBehind(end, tail)) follower.cursor = tail;
        if (!isBehind(follower.cursor, this.#tail)) return this.#join(follower);
      }
    } catch (error) {
      if (follower.isGone || this.#isClosed) return;
      this.#isDoubtful = true;
      follower.isDoubtful = true;
      this.#log.warn({ err: error }, "events could not be read");
      setTimeout(() => void this.#catchUp(follower), LOOK_EVERY_MS).unref();
    }
  }

  async #beginAgain(follower: Follower): Promise<void> {
    const { cursor, isReset } = await this.begin(follower.cursor);
    if (isReset && !follower.isGone) this.#reset(follower, cursor);
    follower.isDoubtful = false;
  }

  #reset(follower: Follower, cursor: FeedCursor): void {
    follower.cursor = cursor;
    follower.reader.onReset(cursor);
  }

  #join(follower: Follower): void {
    if (follower.isGone || this.#isClosed) return;
    if (this.#tail !== undefined && this.#tail.era !== follower.cursor.era) {
      this.#reset(follower, this.#tail);
    }
    this.#live.add(follower);
    this.#tail ??= follower.cursor;
    this.#look();
  }

  #look(): void {
    this.#isStale = true;
    if (!this.#isReading && this.#live.size > 0) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    clearTimeout(this.#timer);
    let againMs = LOOK_EVERY_MS;
    try {
      do {
        await this.#readOn();
        againMs = await this.#check();
      } while (this.#isStale && this.#tail !== undefined);
    } catch (error) {
      this.#isDoubtful = true;
      this.#log.warn({ err: error }, "events could not be read");
    } finally {
      this.#isReading = false;
    }
    if (this.#live.size > 0) this.#timer = setTimeout(() => this.#look(), againMs);
  }

  async #readOn(): Promise<void> {
    while (this.#isStale && this.#tail !== undefined) {
      this.#isStale = false;
      const tail = this.#tail;
      const { events, end, isLast } = await readFeed(this.#database.pool, tail);
      // All have left meanwhile; those who are here now began elsewhere.
      if (this.#tail !== tail) this.#isStale = true;
      else {
        this.#tail = end;
        this.#isStale ||= !isLast;
        for (const follower of this.#live) this.#give(follower, events, end);
      }
    }
  }

  /** Whether all is as it should be. Says when to look again. */
  async #check(): Promise<number> {
    const tail = this.#tail;
    if (tail === undefined) return LOOK_EVERY_MS;
    let state = await readState(this.#database.pool, tail);
    this.#isDoubtful ||= state.has_foreign;
    if (await this.#resolveDoubt()) state = await readState(this.#database.pool, tail);
    if (this.#tail !== tail) return LOOK_EVERY_MS;
    if (state.era !== tail.era || state.is_ahead) await this.#beginAnew(tail);
    if (state.is_held_back) return this.#waitForOlder();
    this.#heldBack = undefined;
    return LOOK_EVERY_MS;
  }

  /** Says whether there was any. */
  async #resolveDoubt(): Promise<boolean> {
    if (!this.#isDoubtful) return false;
    this.#isDoubtful = false;
    try {
      await adoptEvents(this.#database.pool);
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
    return true;
  }

  /** The database is another, or an older one. */
  async #beginAnew(tail: FeedCursor): Promise<void> {
    const { newest } = await readBounds(this.#database.pool);
    if (this.#tail !== tail) return;
    this.#tail = newest;
    for (const follower of this.#live) this.#reset(follower, newest);
  }

  #waitForOlder(): number {
    const now = performance.now();
    this.#heldBack ??= { since: now, toldAt: now };
    if (now - this.#heldBack.toldAt > DELAYED_AFTER_MS) {
      this.#heldBack.toldAt = now;
      for (const { reader } of this.#live) reader.onDelayed();
    }
    return now - this.#heldBack.since < HELD_BACK.untilMs ? HELD_BACK.lookMs : HELD_BACK.thenMs;
  }

  #give(follower: Follower, events: readonly FeedEvent[], end: FeedCursor): void {
    const { owner } = follower.reader;
    const own = events.filter(
      (event) =>
        (owner === undefined || event.owner === owner) && isAfter(event.cursor, follower.cursor),
    );
    if (own.length > 0 && !follower.reader.onEvents(own)) this.#leave(follower);
    else if (isAfter(end, follower.cursor)) follower.cursor = end;
  }
}

function isBehind(cursor: FeedCursor, tail: FeedCursor | undefined): tail is FeedCursor {
  return tail !== undefined && tail.era === cursor.era && isAfter(tail, cursor);
}
