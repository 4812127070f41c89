// What a schedule starts: a job, or a run of a stored pipeline.
import type { Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { cancelJobs } from "../jobs/change-jobs.ts";
import type { SubmittedJob } from "../jobs/submit-jobs.ts";
import { cancelRun } from "../runs/change-runs.ts";
import { startRunWithin } from "../runs/start-run.ts";
import type { ScheduleRow } from "./read-schedules.ts";

type WorkParts = Pick<Engine, "database" | "intake" | "config">;

/** One of the two. */
export interface StartedWork {
  readonly jobId?: string | undefined;
  readonly runId?: string | undefined;
}

export interface LivingWork extends StartedWork {
  /** It was told to end, and will. */
  readonly isEnding: boolean;
}

/**
 * What the schedule started last, unless it has ended. In a statement after the lock of the schedule, whose snapshot shows
 * what the last holder of it has left.
 */
export async function livingWork(
  client: Queryable,
  { last_job_id: jobId, last_run_id: runId, pipeline_id: pipelineId }: ScheduleRow,
): Promise<LivingWork | undefined> {
  const isRun = pipelineId !== null;
  const id = isRun ? runId : jobId;
  if (id === null) return undefined;
  const { rows } = await client.query<{ isEnding: boolean }>(
    isRun
      ? `select cancel_requested_at is not null as "isEnding" from croft.run where id = $1 and finished_at is null`
      : `select cancel_requested_at is not null as "isEnding" from croft.job
         where id = $1 and status in ('queued', 'running')`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? undefined : { ...row, ...(isRun ? { runId: id } : { jobId: id }) };
}

/** To cancel twice is no harm; and it may have ended by itself meanwhile. */
export async function cancelWork(parts: WorkParts, { jobId, runId }: StartedWork): Promise<void> {
  if (jobId !== undefined) {
    await despiteDeadlocks(() => cancelJobs(parts.database.pool, [jobId]));
  }
  if (runId === undefined) return;
  try {
    await cancelRun(parts, { owner: undefined }, runId, { force: false });
  } catch (error) {
    const { code } = error instanceof EngineError ? error : { code: "" };
    if (code !== "job-ended" && code !== "not-found") throw error;
  }
}

/** With the schedule's next time in one transaction. */
export async function startWork(
  parts: WorkParts,
  client: Queryable,
  schedule: ScheduleRow,
): Promise<StartedWork> {
  const { owner, job, pipeline_id: pipelineId } = schedule;
  if (pipelineId !== null) return { runId: await startNewest(parts, client, schedule, pipelineId) };
  // It was checked when it was written.
  const submitted = { ...job, owner } as unknown as SubmittedJob;
  const [submission] = await parts.intake.submitWithin(client, [submitted]);
  return { jobId: submission?.id };
}

async function startNewest(
  parts: WorkParts,
  client: Queryable,
  { owner, cron, time_zone: timeZone, next_at: dueAt }: ScheduleRow,
  pipelineId: string,
): Promise<string> {
  const { rows } = await client.query<{ name: string; version: number; text: string }>(
    `select p.name, v.version, v.text from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = p.version where p.id = $1`,
    [pipelineId],
  );
  const [newest] = rows;
  if (newest === undefined) throw new EngineError("not-found", "its pipeline is gone");
  const { name, version, text } = newest;
  return await startRunWithin(parts, client, {
    ...{ owner, text, file: name, inputs: {}, priority: "normal", startedBy: "schedule" },
    event: { schedule: cron, time_zone: timeZone, due_at: dueAt.toISOString() },
    pipeline: { id: pipelineId, version },
  });
}
