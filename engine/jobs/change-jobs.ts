// Cancels and retries jobs.
import type { Job, JobPriority } from "@croft/contract";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import { copyWork, superseded, workAgain } from "../github/github-work.ts";
import { readJob, type Scope } from "./read-jobs.ts";
import { type JobIntake, lockLines, type Submission, type SubmittedJob } from "./submit-jobs.ts";

/** What is queued ends at once, what runs is asked to; the answer shows which. */
export async function cancelJob(database: Database, scope: Scope, id: string): Promise<Job> {
  const job = await readJob(database, scope, id);
  if (job.finished_at !== null) {
    throw new EngineError("job-ended", `the job has ended already: it is ${job.status}`);
  }
  await despiteDeadlocks(() => cancelJobs(database.pool, [id]));
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
  const submission = await submitRetry(database, intake, job);
  const { retry_of } = submission.isNew
    ? { retry_of: id }
    : await readJob(database, scope, submission.id);
  if (retry_of === id) return submission;
  throw new EngineError(
    "deduplicated",
    `job ${submission.id} is queued or running under the same dedupe name`,
  );
}

async function submitRetry(database: Database, intake: JobIntake, job: Job): Promise<Submission> {
  const retry = async (client: Queryable) => await retryWithin(client, intake, [job]);
  const [submission] = await despiteDeadlocks(() => inTransaction(database, retry));
  if (submission === undefined) throw superseded();
  return submission;
}

/** In the caller's transaction; without those whose place a newer event of their pull request has taken. */
export async function retryWithin(
  client: Queryable,
  intake: JobIntake,
  jobs: readonly Job[],
): Promise<Submission[]> {
  const ids = jobs.map(({ id }) => id);
  const again = await workAgain(client, ids);
  const current = jobs.filter(({ id }) => again.get(id)?.isOvertaken !== true);
  const coming = current.map((job) => ({ ...retryOf(job), line: again.get(job.id)?.line }));
  if (again.size > 0) await lockLines(client, { coming });
  const submissions = await intake.submitWithin(client, coming);
  for (const [index, { id, isNew }] of submissions.entries()) {
    const { retry_of, line } = coming[index] ?? {};
    if (isNew && line !== undefined && retry_of !== undefined) await copyWork(client, retry_of, id);
  }
  return submissions;
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
