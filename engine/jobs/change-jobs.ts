// Cancels and retries jobs.
import type { Job, JobPriority } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { readJob, type Scope } from "./read-jobs.ts";
import type { JobIntake, Submission, SubmittedJob } from "./submit-jobs.ts";

/** What is queued ends at once, what runs is asked to; the answer shows which. */
export async function cancelJob(database: Database, scope: Scope, id: string): Promise<Job> {
  const job = await readJob(database, scope, id);
  if (job.finished_at !== null) {
    throw new EngineError("job-ended", `the job has ended already: it is ${job.status}`);
  }
  await cancelJobs(database.pool, [id]);
  return await readJob(database, scope, id);
}

export async function cancelJobs(
  client: Queryable,
  ids: readonly string[],
): Promise<Map<string, "cancelled" | "asked" | "ended">> {
  const { rows } = await client.query<{
    job_id: string;
    outcome: "cancelled" | "asked" | "ended";
  }>("select job_id, outcome from croft.cancel($1)", [ids]);
  return new Map(rows.map(({ job_id, outcome }) => [job_id, outcome]));
}

/** A new job with the same input; the old one stays as it is. Asked for twice, it is the same new one while that lives. */
export async function retryJob(
  database: Database,
  intake: JobIntake,
  scope: Scope,
  id: string,
): Promise<Submission> {
  const job = await readJob(database, scope, id);
  if (job.finished_at === null) {
    throw new EngineError("job-not-ended", `the job is ${job.status}: wait for it, or cancel it`);
  }
  const submission = await intake.submit(retryOf(job));
  const { retry_of } = submission.isNew
    ? { retry_of: id }
    : await readJob(database, scope, submission.id);
  if (retry_of === id) return submission;
  throw new EngineError(
    "deduplicated",
    `job ${submission.id} is queued or running under the same dedupe name`,
  );
}

/** What is submitted to retry it. */
export function retryOf(job: Job): SubmittedJob {
  return {
    owner: job.owner,
    type: job.type,
    input: job.input,
    priority: job.priority satisfies JobPriority,
    ...(job.key === null ? {} : { key: job.key }),
    ...(job.attempts === null ? {} : { attempts: job.attempts }),
    ...(job.timeout_ms === null ? {} : { timeout_ms: job.timeout_ms }),
    ...(job.source_task_id === null ? {} : { source_task_id: job.source_task_id }),
    ...(job.notify ? { notify: true } : {}),
    dedupe: job.dedupe ?? `retry:${job.id}`,
    retry_of: job.id,
  };
}
