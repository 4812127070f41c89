// The job by which a run gets its lane, and finds out where it begins.
import type { JobPriority } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import type { JobIntake } from "../jobs/submit-jobs.ts";
import type { RunRow } from "./run-rows.ts";

const PRIORITIES: readonly JobPriority[] = ["background", "normal", "interactive"];

/** Of the run, and so of all its jobs. */
export function priorityOf({ class: number }: Pick<RunRow, "class">): JobPriority {
  return PRIORITIES[number] ?? "normal";
}

export async function submitStart(
  intake: JobIntake,
  client: Queryable,
  run: Pick<RunRow, "id" | "owner" | "key" | "class">,
): Promise<string> {
  const [submission] = await intake.submitWithin(client, [
    {
      ...{ type: "run", owner: run.owner, priority: priorityOf(run) },
      ...(run.key === "" ? {} : { key: run.key }),
      ...{ input: { run_id: run.id }, run_id: run.id },
    },
  ]);
  if (submission === undefined) throw new Error("the database did not answer for a job");
  return submission.id;
}
