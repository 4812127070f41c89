// Whether a watch may still be told what is in its repository: asked of the remote, with the watch's own credential.
import { readTips } from "@croft/git";
import { accessOf, remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf, type WatchFault, watchFailed } from "./watch-health.ts";
import { findWatch, type WatchRow } from "./watch-rows.ts";

/** The remote did not say: nothing of the watch is sent for a while, and nobody is to blame for it. */
export class ReadCheckFailed extends Error {
  override readonly name = "ReadCheckFailed";
  readonly fault: WatchFault;
  readonly pauseMs: number;

  constructor(fault: WatchFault, pauseMs: number) {
    super(fault.message);
    this.fault = fault;
    this.pauseMs = pauseMs;
  }
}

/** One answer is good for the messages that go out in the same moment. */
const FRESH_MS = 3000;
const RETRY_MS = 60_000;
const KNOWN_MAX = 10_000;
/** A remote that is silent for longer is asked again later. */
const ASK_MS = 10_000;
/** Doubled each time. */
const PAUSE_MS = 5000;
const PAUSE_MS_MAX = 300_000;

export class ReadChecks {
  readonly #parts: WatchParts;
  readonly #known = new Map<string, { readonly atMs: number; readonly answer: Promise<boolean> }>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** `signal` ends the question for all who wait for the same answer. */
  async mayRead(watchId: string, signal?: AbortSignal): Promise<boolean> {
    const known = this.#known.get(watchId);
    if (known !== undefined && performance.now() - known.atMs < FRESH_MS) return await known.answer;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    const answer = this.#ask(watchId, signal);
    this.#known.set(watchId, { atMs: performance.now(), answer });
    answer.catch(() => this.#known.delete(watchId)); // whoever waits for it hears of it
    return await answer;
  }

  async #ask(watchId: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { pool } = this.#parts.database;
    const watch = await findWatch(pool, watchId);
    if (watch === undefined) return false;
    try {
      const { access } = await accessOf(this.#parts, watch);
      const asking = { ...access, signal, timeoutMs: ASK_MS };
      await readTips(remoteOf(this.#parts, watch.url), [watch.ref], asking);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      if (!fault.holds) throw await this.#postpone(watch, fault);
      await watchFailed(this.#parts.database, watch, fault, RETRY_MS);
      return false;
    }
    await pool.query(
      "update croft.watch set check_failures = 0, check_after = null where id = $1 and check_failures > 0",
      [watchId],
    );
    return true;
  }

  /** For all messages of the watch, and all processes. */
  async #postpone({ id }: WatchRow, fault: WatchFault): Promise<ReadCheckFailed> {
    const { rows } = await this.#parts.database.pool.query<{ pause_ms: number }>(
      `with paused as (
         update croft.watch set check_failures = check_failures + 1,
           check_after = croft.now() + make_interval(secs => least($3, $2 * power(2, least(check_failures, 20))) / 1000.0)
         where id = $1 and coalesce(check_after, '-infinity') <= croft.now() returning check_after)
       select extract(epoch from coalesce((select check_after from paused), check_after) - croft.now())::float8 * 1000 as pause_ms
       from croft.watch where id = $1`,
      [id, PAUSE_MS, PAUSE_MS_MAX],
    );
    return new ReadCheckFailed(fault, rows[0]?.pause_ms ?? PAUSE_MS);
  }
}
