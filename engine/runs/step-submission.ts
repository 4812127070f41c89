// The job that carries a step, or one item of it.
import type { Step } from "@croft/pipeline";
import type { SubmittedJob } from "../jobs/submit-jobs.ts";
import type { RunRow } from "./run-rows.ts";
import { priorityOf } from "./submit-start.ts";

/** Steps end by their own time; this is for a handler that does not. */
const STEP_BACKSTOP_MS = 20 * 86_400_000;

export function stepSubmission(run: RunRow, { id, retry }: Step, item: string): SubmittedJob {
  return {
    ...{ type: "step", owner: run.owner, priority: priorityOf(run) },
    input: { run_id: run.id, step: id, item },
    attempts: retry.attempts,
    timeout_ms: STEP_BACKSTOP_MS,
    source_task_id: run.source_task_id ?? undefined,
    ...{ run_id: run.id, step: item === "" ? id : `${id}/${item}` },
  };
}
