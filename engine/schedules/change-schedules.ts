// Makes, changes and deletes schedules.
import type { NewSchedule, Schedule, ScheduleChange } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import type { JobIntake } from "../jobs/submit-jobs.ts";
import { newId } from "../new-id.ts";
import { requireNextTime } from "./cron.ts";
import { requireRow, type ScheduleRow, scheduleOf } from "./read-schedules.ts";
import { tellRunners, timeOf } from "./schedule-clock.ts";

export interface SchedulesDoor {
  readonly database: Database;
  readonly intake: JobIntake;
}

export async function createSchedule(
  { database, intake }: SchedulesDoor,
  owner: string,
  { name, cron, time_zone, overlap, paused, job }: NewSchedule,
): Promise<Schedule> {
  return await inTransaction(database, async (client) => {
    await intake.check(job, client);
    const nextAt = requireNextTime({ cron, timeZone: time_zone }, await timeOf(client));
    const { rows } = await namesOnce(name, () =>
      client.query<ScheduleRow>(
        `insert into croft.schedule (id, owner, name, cron, time_zone, overlap, is_paused, job, next_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`,
        [newId(), owner, name, cron, time_zone, overlap, paused, job, nextAt],
      ),
    );
    await tellRunners(client);
    return scheduleOf(requireRow(rows));
  });
}

/** Resumed, or with another cron line or zone, it goes on with its next regular time: what was missed stays missed. */
export async function changeSchedule(
  { database, intake }: SchedulesDoor,
  { owner }: Scope,
  id: string,
  change: ScheduleChange,
): Promise<Schedule> {
  return await inTransaction(database, async (client) => {
    const { rows: found } = await client.query<ScheduleRow>(
      "select * from croft.schedule where id = $1 and ($2::text is null or owner = $2) for update",
      [id, owner ?? null],
    );
    const before = requireRow(found);
    const { paused: _, ...more } = change;
    if (Object.keys(more).length > 0) requireOwn(before);
    if (change.job !== undefined) await intake.check(change.job, client);
    const after = merge(before, change);
    const isAnew =
      after.cron !== before.cron ||
      after.time_zone !== before.time_zone ||
      (before.is_paused && !after.is_paused);
    const line = { cron: after.cron, timeZone: after.time_zone };
    // Written anew only then: the database's time is finer than ours.
    const nextAt = isAnew ? requireNextTime(line, await timeOf(client)) : null;
    const { rows } = await namesOnce(after.name, () =>
      client.query<ScheduleRow>(
        `update croft.schedule set name = $2, cron = $3, time_zone = $4, overlap = $5, is_paused = $6, job = $7,
           next_at = coalesce($8, next_at), last_error = $9
         where id = $1 returning *`,
        [
          ...[id, after.name, after.cron, after.time_zone, after.overlap, after.is_paused],
          ...[after.job, nextAt, after.last_error],
        ],
      ),
    );
    await tellRunners(client);
    return scheduleOf(requireRow(rows));
  });
}

/** Jobs that it submitted stay as they are. */
export async function deleteSchedule(
  database: Database,
  { owner }: Scope,
  id: string,
): Promise<void> {
  await inTransaction(database, async (client) => {
    const { rows } = await client.query<ScheduleRow>(
      "delete from croft.schedule where id = $1 and ($2::text is null or owner = $2) returning *",
      [id, owner ?? null],
    );
    requireOwn(requireRow(rows));
  });
}

/** One that a pipeline asks for is as the pipeline says; it can only be paused. */
function requireOwn({ pipeline_id: pipelineId, name }: ScheduleRow): void {
  if (pipelineId === null) return;
  const message = `it is a schedule of pipeline '${name}': store another version of that; here it can only be paused`;
  throw new EngineError("invalid-input", message);
}

function merge(before: ScheduleRow, change: ScheduleChange): ScheduleRow {
  const isFresh = change.job !== undefined || change.paused === false;
  return {
    ...before,
    name: change.name ?? before.name,
    cron: change.cron ?? before.cron,
    time_zone: change.time_zone ?? before.time_zone,
    overlap: change.overlap ?? before.overlap,
    is_paused: change.paused ?? before.is_paused,
    job: change.job ?? before.job,
    last_error: isFresh ? null : before.last_error,
  };
}

const UNIQUE_VIOLATION = "23505";

async function namesOnce<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    throw new EngineError("name-taken", `there is a schedule '${name}' already`, { cause: error });
  }
}
