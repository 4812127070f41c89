// Goes on with runs whose steps have ended. Every process does, and none is needed: what is due stands in the database.

import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import { despiteDeadlocks, isDeadlock } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { Rounds } from "../rounds.ts";
import { monotonicMs } from "../worker/monotonic-ms.ts";
import { advanceRun } from "./advance-run.ts";
import { countFailure, giveUpRun } from "./give-up-run.ts";

type AdvancerParts = Pick<Engine, "database" | "listener" | "log" | "intake" | "assets">;

/** Announcements are what wakes it; this is for those that were lost, and for what is due by the clock. */
const LOOK_EVERY_MS = 1000;
const RUNS_AT_ONCE = 50;
/** Then it looks again: whoever has become due meanwhile may have a turn before the others of this round. */
const ROUND_MS_MAX = 1000;
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
    const { rows } = await pool.query<{ run_id: string }>(DUE_RUNS, [
      [...this.#pausedUntilMs.keys()],
      RUNS_AT_ONCE,
    ]);
    let advanced = 0;
    for (const { run_id } of rows) {
      if (signal.aborted || monotonicMs() > now + ROUND_MS_MAX) break;
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

  /**
   * While the store of files is away, or the database, nothing is said about the run. That the database was too slow for it,
   * or broke the connection, is no sign of that: it may be the run's own doing. Who counts asks it anew.
   */
  async #perhapsGiveUp(runId: string, error: unknown): Promise<void> {
    const { database, log } = this.#parts;
    if (error instanceof EngineError && error.code === "unavailable") return;
    try {
      if (!(await countFailure(database, runId))) return;
      await despiteDeadlocks(() => giveUpRun(database, runId, error));
      this.#pausedUntilMs.delete(runId); // it may be retried at once
      log.error({ run: runId }, "a run that could not go on was given up");
    } catch (failure) {
      if (isDatabaseUnavailable(error) && isDatabaseUnavailable(failure)) return;
      log.error({ err: failure, run: runId }, "a run that cannot go on could not be given up yet");
    }
  }
}

/** Oldest first; owners take turns, and of each owner the runs that are no part of each other. */
const DUE_RUNS = `
  select run_id from (
    select run_id, due_at, row_number() over (partition by owner order by nth, due_at, run_id) as turn from (
      select d.run_id, d.due_at, r.owner,
        row_number() over (partition by coalesce(r.root_id, d.run_id) order by d.due_at, d.run_id) as nth
      from (
        select run_id, min(due_at) as due_at from (
          select run_id, due_at from croft.run_due
          union all
          select run_id, deadline_at from croft.run_step
          where status in ('waiting', 'running') and stopped_at is null and deadline_at <= croft.now()
          union all
          select run_id, retry_at from croft.run_step where status = 'running' and retry_at <= croft.now()) x
        group by run_id) d
      left join croft.run r on r.id = d.run_id
      where d.run_id <> all ($1)) y) z
  order by turn, due_at, run_id limit $2`;
