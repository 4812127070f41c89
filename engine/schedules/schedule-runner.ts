// Starts the jobs and runs of schedules when they are due: one for each time, however many processes look after them.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { Rounds } from "../rounds.ts";
import { nextTime } from "./cron.ts";
import type { ScheduleRow } from "./read-schedules.ts";
import { cancelWork, livingWork, type StartedWork, startWork } from "./scheduled-work.ts";

type RunnerParts = Pick<Engine, "database" | "listener" | "intake" | "log" | "config">;

interface DueSchedule extends ScheduleRow {
  readonly now: Date;
}

/** What became of a schedule that was due; `replace`: first the last one has to be cancelled. */
type Outcome =
  | { readonly kind: "none" | "started" | "skipped" }
  | { readonly kind: "replace"; readonly last: StartedWork };

/** Announcements and the timer are what it goes by; this is for those that were lost. */
const LOOK_EVERY_MS = 30_000;
/** Something is due, and another process has it in its hands. */
const LOOK_AGAIN_MS = 250;
const AGAIN_AFTER_FAILURE_MS = 2000;

export class ScheduleRunner {
  readonly #parts: RunnerParts;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;

  private constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({
      what: "schedules",
      log: parts.log,
      round: (signal) => this.#round(signal),
    });
    this.#deafen = parts.listener.hear("croft_schedule", () => this.#rounds.wake());
  }

  static start(parts: RunnerParts): ScheduleRunner {
    const runner = new ScheduleRunner(parts);
    runner.#rounds.wake();
    return runner;
  }

  async close(): Promise<void> {
    this.#deafen();
    await this.#rounds.close();
  }

  async #round(signal: AbortSignal): Promise<number> {
    /** They must not keep the others from their turn. */
    const failed: string[] = [];
    while (!signal.aborted) {
      const outcome = await this.#runNext(failed);
      if (outcome.kind === "none") break;
      if (outcome.kind === "replace") await cancelWork(this.#parts, outcome.last);
    }
    const pauseMs = await untilNext(this.#parts.database);
    return failed.length > 0 ? Math.max(pauseMs, AGAIN_AFTER_FAILURE_MS) : pauseMs;
  }

  /**
   * The job or run and the schedule's next time are written in one transaction: whenever this process is killed, either
   * both are there or neither. The last one is cancelled in another one before, because locks of two lanes are taken at once or not
   * at all; to cancel it twice is no harm.
   */
  async #runNext(failed: string[]): Promise<Outcome> {
    let id: string | undefined;
    try {
      return await inTransaction(this.#parts.database, async (client) => {
        const schedule = await claimDue(client, failed);
        id = schedule?.id;
        return schedule === undefined ? { kind: "none" } : await this.#run(client, schedule);
      });
    } catch (error) {
      if (id === undefined) throw error;
      this.#parts.log.warn({ err: error, schedule: id }, "a schedule could not start its work");
      failed.push(id);
      return { kind: "skipped" };
    }
  }

  async #run(client: Queryable, schedule: DueSchedule): Promise<Outcome> {
    const last = await livingWork(client, schedule);
    if (last !== undefined && schedule.overlap === "skip") {
      await moveOn(client, schedule, { error: schedule.last_error });
      return { kind: "skipped" };
    }
    if (last?.isEnding === false && schedule.overlap === "replace")
      return { kind: "replace", last };
    await client.query("savepoint work");
    try {
      const started = await startWork(this.#parts, client, schedule);
      await moveOn(client, schedule, { ...started, error: null });
      return { kind: "started" };
    } catch (error) {
      // The type has gone, or has changed its mind about the input, or an address is not allowed any more: its owner has
      // to see that.
      if (!(error instanceof EngineError)) throw error;
      await client.query("rollback to savepoint work");
      await moveOn(client, schedule, { error: error.message });
      return { kind: "skipped" };
    }
  }
}

async function claimDue(
  client: Queryable,
  failed: readonly string[],
): Promise<DueSchedule | undefined> {
  const { rows } = await client.query<DueSchedule>(
    `select *, croft.now() as now from croft.schedule
     where not is_paused and next_at <= croft.now() and id <> all ($1)
     order by next_at, id limit 1 for update skip locked`,
    [failed],
  );
  return rows[0];
}

/** To the next regular time after now: all that were missed meanwhile count as this one. */
async function moveOn(
  client: Queryable,
  { id, cron, time_zone, now }: DueSchedule,
  { jobId, runId, error }: StartedWork & { readonly error: string | null },
): Promise<void> {
  const nextAt = nextTime({ cron, timeZone: time_zone }, now);
  await client.query(
    `update croft.schedule set next_at = coalesce($2, next_at), is_paused = $2 is null,
       last_at = case when coalesce($3::uuid, $4::uuid) is null then last_at else croft.now() end,
       last_job_id = coalesce($3, last_job_id), last_run_id = coalesce($4, last_run_id),
       last_error = $5
     where id = $1`,
    [
      ...[id, nextAt ?? null, jobId ?? null, runId ?? null],
      nextAt === undefined ? "paused: its time never comes again" : error,
    ],
  );
}

async function untilNext({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ due_in_ms: number | null }>(
    `select extract(epoch from min(next_at) - croft.now())::float8 * 1000 as due_in_ms
     from croft.schedule where not is_paused`,
  );
  const dueInMs = rows[0]?.due_in_ms ?? LOOK_EVERY_MS;
  return dueInMs <= 0 ? LOOK_AGAIN_MS : Math.min(Math.ceil(dueInMs), LOOK_EVERY_MS);
}
