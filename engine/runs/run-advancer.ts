// Goes on with runs whose steps have ended. Every process does, and none is needed: what is due stands in the database.

import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import { despiteDeadlocks, isDeadlock } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";
import { monotonicMs } from "../worker/monotonic-ms.ts";
import { advanceRun } from "./advance-run.ts";
import { countFailure, giveUpRun } from "./give-up-run.ts";

type AdvancerParts = Pick<Engine, "database" | "listener" | "log" | "intake" | "assets">;

/** Announcements are what wakes it; this is for those that were lost, and for what is due by the clock. */
const LOOK_EVERY_MS = 1000;
const RUNS_AT_ONCE = 50;
/** For one that could not go on: it must neither hold up the others nor fill the log. */
const PAUSE_MS = 10_000;

export class RunAdvancer {
  readonly #parts: AdvancerParts;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;
  readonly #pausedUntilMs = new Map<string, number>();

  private constructor(parts: AdvancerParts) {
    this.#parts = parts;
    const { listener, log } = parts;
    this.#rounds = new Rounds({ what: "runs", log, round: (signal) => this.#round(signal) });
    this.#deafen = listener.hear("croft_run", () => this.#rounds.wake());
  }

  static start(parts: AdvancerParts): RunAdvancer {
    const advancer = new RunAdvancer(parts);
    advancer.#rounds.wake();
    return advancer;
  }

  async close(): Promise<void> {
    this.#deafen();
    await this.#rounds.close();
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { pool } = this.#parts.database;
    const now = monotonicMs();
    for (const [id, until] of this.#pausedUntilMs) if (until <= now) this.#pausedUntilMs.delete(id);
    const { rows } = await pool.query<{ run_id: string }>(
      `select run_id from (
         select run_id from croft.run_due
         union
         select run_id from croft.run_step
         where status in ('waiting', 'running') and stopped_at is null and deadline_at <= croft.now()
         union
         select run_id from croft.run_step where status = 'running' and retry_at <= croft.now()) due
       where run_id <> all ($1) limit ${RUNS_AT_ONCE}`,
      [[...this.#pausedUntilMs.keys()]],
    );
    let advanced = 0;
    for (const { run_id } of rows) {
      if (signal.aborted) break;
      if (await this.#advance(run_id)) advanced++;
    }
    return advanced === 0 ? LOOK_EVERY_MS : 0;
  }

  /** One that cannot go on must not hold up the others. */
  async #advance(runId: string): Promise<boolean> {
    try {
      return await advanceRun(this.#parts, runId);
    } catch (error) {
      if (isDeadlock(error)) return true; // it is due still
      this.#pausedUntilMs.set(runId, monotonicMs() + PAUSE_MS);
      this.#parts.log.error({ err: error, run: runId }, "a run could not go on");
      await this.#perhapsGiveUp(runId, error);
      return false;
    }
  }

  /** While the database is away nothing is said about the run. */
  async #perhapsGiveUp(runId: string, error: unknown): Promise<void> {
    const { database, log } = this.#parts;
    if (isDatabaseUnavailable(error)) return;
    try {
      if (!(await countFailure(database, runId))) return;
      await despiteDeadlocks(() => giveUpRun(database, runId, error));
      log.error({ run: runId }, "a run that could not go on was given up");
    } catch (failure) {
      log.error({ err: failure, run: runId }, "a run that cannot go on could not be given up yet");
    }
  }
}
