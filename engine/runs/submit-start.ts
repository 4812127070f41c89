// The job by which a run gets its lane, and finds out where it begins.
import type { JobPriority } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { type JobIntake, lockLines, type SubmittedJob } from "../jobs/submit-jobs.ts";
import type { RunRow } from "./run-rows.ts";

const PRIORITIES: readonly JobPriority[] = ["background", "normal", "interactive"];

/** Of the run, and so of all its jobs. */
export function priorityOf({ class: number }: Pick<RunRow, "class">): JobPriority {
  return PRIORITIES[number] ?? "normal";
}

type Started = Pick<RunRow, "id" | "owner" | "key" | "class" | "source_task_id">;

export function startOfRun(run: Started): SubmittedJob {
  return {
    ...{ type: "run", owner: run.owner, priority: priorityOf(run) },
    ...(run.key === "" ? {} : { key: run.key }),
    ...{ input: { run_id: run.id }, run_id: run.id },
    source_task_id: run.source_task_id ?? undefined,
  };
}

export async function submitStart(
  intake: JobIntake,
  client: Queryable,
  run: Started,
  line?: string,
): Promise<string> {
  const start = { ...startOfRun(run), line };
  if (line !== undefined) await lockLines(client, { coming: [start] });
  const [submission] = await intake.submitWithin(client, [start]);
  if (submission === undefined) throw new Error("the database did not answer for a job");
  return submission.id;
}
