// Follows the events of single subjects: whoever listens gets each one once, in order, from wherever it left off.
import type { DatabaseListener } from "../database/database-listener.ts";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import type { EventRow } from "./event-row.ts";
import { readEventRows } from "./read-events.ts";

export interface SubjectReader {
  /** In order, without gaps. False: it wants no more. */
  onEvents(events: readonly EventRow[]): boolean;
}

interface Follower extends SubjectReader {
  lastSeq: number;
}

/** The followers of one subject share their reads. */
interface FollowedSubject {
  readonly followers: Set<Follower>;
  isReading: boolean;
  isStale: boolean;
}

export class SubjectStreams {
  readonly #database: Database;
  readonly #log: Log;
  readonly #subjects = new Map<string, FollowedSubject>();
  readonly #deafen: () => void;

  constructor(database: Database, listener: DatabaseListener, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#deafen = listener.hear("croft_event", (ids) => {
      for (const id of ids === "*" ? [...this.#subjects.keys()] : ids) this.#look(id);
    });
  }

  /** Everything after `afterSeq`, then what is still to come, until the returned function is called. */
  follow(subject: string, afterSeq: number, reader: SubjectReader): () => void {
    // First it is known, then it reads: an event that comes in between is announced to it.
    const followed = this.#subjects.get(subject) ?? {
      followers: new Set<Follower>(),
      isReading: false,
      isStale: false,
    };
    this.#subjects.set(subject, followed);
    const follower: Follower = { lastSeq: afterSeq, onEvents: (events) => reader.onEvents(events) };
    followed.followers.add(follower);
    this.#look(subject);
    return () => this.#leave(subject, follower);
  }

  close(): void {
    this.#deafen();
    this.#subjects.clear();
  }

  #leave(subject: string, follower: Follower): void {
    const followed = this.#subjects.get(subject);
    followed?.followers.delete(follower);
    if (followed?.followers.size === 0) this.#subjects.delete(subject);
  }

  #look(subject: string): void {
    const followed = this.#subjects.get(subject);
    if (followed === undefined) return;
    followed.isStale = true;
    if (!followed.isReading) void this.#read(subject, followed);
  }

  async #read(subject: string, followed: FollowedSubject): Promise<void> {
    followed.isReading = true;
    try {
      while (followed.isStale && followed.followers.size > 0) {
        followed.isStale = false;
        const after = Math.min(...[...followed.followers].map(({ lastSeq }) => lastSeq));
        const { rows, isLast } = await readEventRows(this.#database, subject, after);
        if (!isLast) followed.isStale = true;
        this.#hand(subject, followed, rows, after);
      }
    } catch (error) {
      this.#log.warn({ err: error, subject }, "events could not be read");
      setTimeout(() => this.#look(subject), 1000).unref();
    } finally {
      followed.isReading = false;
    }
    if (followed.isStale && followed.followers.size > 0) this.#look(subject);
  }

  #hand(
    subject: string,
    followed: FollowedSubject,
    rows: readonly EventRow[],
    after: number,
  ): void {
    for (const follower of followed.followers) {
      if (follower.lastSeq < after) continue; // it came during the read, and wants earlier ones first
      const fresh = rows.filter(({ seq }) => seq > follower.lastSeq);
      const last = fresh.at(-1);
      if (last === undefined) continue;
      follower.lastSeq = last.seq;
      if (!follower.onEvents(fresh)) this.#leave(subject, follower);
    }
  }
}
