// Schedules as the API shows them.
import type { Schedule, ScheduleList, ScheduleQuery } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";

export interface ScheduleRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly overlap: Schedule["overlap"];
  readonly is_paused: boolean;
  /** None of a pipeline's: it starts runs of that. */
  readonly job: Record<string, unknown> | null;
  readonly pipeline_id: string | null;
  readonly next_at: Date;
  readonly last_at: Date | null;
  readonly last_job_id: string | null;
  readonly last_run_id: string | null;
  readonly last_error: string | null;
  readonly created_at: Date;
}

/** A foreign one is not there: nobody learns that it exists. */
export async function readSchedule(
  { pool }: Database,
  { owner }: Scope,
  id: string,
): Promise<Schedule> {
  const { rows } = await pool.query<ScheduleRow>(
    "select * from croft.schedule where id = $1 and ($2::text is null or owner = $2)",
    [id, owner ?? null],
  );
  return scheduleOf(requireRow(rows));
}

/** Newest first. The cursor is the last id of the page before. */
export async function listSchedules(
  { pool }: Database,
  { owner }: Scope,
  { cursor, limit }: ScheduleQuery,
): Promise<ScheduleList> {
  const { rows } = await pool.query<ScheduleRow>(
    `select * from croft.schedule
     where ($1::text is null or owner = $1) and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [owner ?? null, cursor ?? null, limit + 1],
  );
  const schedules = rows.slice(0, limit).map(scheduleOf);
  const last = rows.length > limit ? schedules.at(-1) : undefined;
  return { schedules, next_cursor: last?.id ?? null };
}

export function requireRow([row]: readonly ScheduleRow[]): ScheduleRow {
  if (row === undefined) throw new EngineError("not-found", "there is no such schedule");
  return row;
}

export function scheduleOf(row: ScheduleRow): Schedule {
  const { id, owner, name, cron, time_zone, overlap, job, last_error } = row;
  return {
    ...{ id, owner, name, cron, time_zone, overlap, job, last_error },
    pipeline: row.pipeline_id === null ? null : name,
    ...{ last_job_id: row.last_job_id, last_run_id: row.last_run_id },
    paused: row.is_paused,
    next_at: row.is_paused ? null : row.next_at.toISOString(),
    last_at: row.last_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
