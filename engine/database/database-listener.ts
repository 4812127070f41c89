// Hears what the database announces, on one connection of its own that is opened again whenever it breaks.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../log.ts";
import type { Database } from "./open-database.ts";

/**
 * - `croft_wake`: there may be a job for a free slot.
 * - `croft_cancel`: running jobs that somebody wants to end.
 * - `croft_event`, `croft_log`: subjects that have something new.
 * - `croft_schedule`, `croft_bulk`: one was made or changed.
 * - `croft_run`: a run can go on.
 * - `croft_app`: an app was deleted.
 * - `croft_watch`, `croft_delivery`: a watch is to be looked at, something is to be sent.
 * - `croft_inbox`: an event of GitHub is to be handled.
 *
 * Each comes with ids, divided by commas; `*` stands for all.
 */
export type Channel = (typeof CHANNELS)[number];

type Hearer = (ids: readonly string[] | "*") => void;

const CHANNELS = [
  "croft_wake",
  "croft_cancel",
  "croft_event",
  "croft_log",
  "croft_schedule",
  "croft_bulk",
  "croft_run",
  "croft_app",
  "croft_watch",
  "croft_delivery",
  "croft_inbox",
] as const;
const AGAIN_AFTER_MS = [50, 250, 1000] as const;
/** A connection cut without a word is noticed only by talking. */
const PING_EVERY_MS = 15_000;

export class DatabaseListener {
  readonly #target: pg.ClientConfig;
  readonly #log: Log;
  readonly #hearers = new Map<Channel, Set<Hearer>>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;

  constructor(database: Database, log: Log) {
    this.#target = { ...database.target, application_name: "croft listener" };
    this.#log = log;
    this.#running = this.#run();
  }

  /** What was announced while nobody listened is made up for by one call for all. */
  hear(channel: Channel, hearer: Hearer): () => void {
    const hearers = this.#hearers.get(channel) ?? new Set();
    this.#hearers.set(channel, hearers.add(hearer));
    return () => void hearers.delete(hearer);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#closing.signal.aborted; failures++) {
      try {
        await this.#listen(() => {
          failures = 0;
        });
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#log.warn({ err: error }, "announcements of the database are not heard at the moment");
      }
      const pauseMs = AGAIN_AFTER_MS[Math.min(failures, AGAIN_AFTER_MS.length - 1)];
      await delay(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => {}); // closed
    }
  }

  async #listen(onReady: () => void): Promise<void> {
    const client = new pg.Client(this.#target);
    const broken = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("the connection ended")));
    });
    broken.catch(() => {}); // awaited below, once it is open
    client.on("notification", ({ channel, payload = "" }) => {
      const ids = payload === "*" ? payload : payload.split(",").filter(Boolean);
      this.#tell(channel as Channel, ids);
    });
    try {
      await client.connect();
      await client.query(CHANNELS.map((channel) => `listen ${channel}`).join("; "));
      onReady();
      for (const channel of CHANNELS) this.#tell(channel, "*");
      while (!this.#closing.signal.aborted) {
        await Promise.race([
          broken,
          delay(PING_EVERY_MS, undefined, { signal: this.#closing.signal }),
        ]);
        await Promise.race([broken, client.query("select 1")]);
      }
    } finally {
      await client.end().catch(() => {}); // broken already
    }
  }

  #tell(channel: Channel, ids: readonly string[] | "*"): void {
    for (const hearer of this.#hearers.get(channel) ?? []) hearer(ids);
  }
}
