// What people do to a run: cancel, retry, approve.

import type { Queryable } from "../database/in-transaction.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { superseded, workAgain } from "../github/github-work.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { retryPlan } from "./retry-plan.ts";
import { type RunRow, readSteps } from "./run-rows.ts";
import { submitStart } from "./submit-start.ts";

type Parts = Pick<Engine, "database" | "intake">;

/**
 * Its steps are asked to end, and those of all that it uses; what runs `always()` still does, until it is asked for a second
 * time, or with force.
 */
export async function cancelRun(
  { database }: Parts,
  scope: Scope,
  id: string,
  { force }: { readonly force?: boolean | undefined } = {},
): Promise<void> {
  const cancel = async (client: Queryable) => {
    const run = await lockOwn(client, scope, id);
    if (run.finished_at !== null) throw new EngineError("job-ended", "the run has ended already");
    const isForced = force ?? run.cancel_requested_at !== null;
    await client.query("select croft.cancel_runs(array[$1::uuid], $2)", [id, isForced]);
  };
  await despiteDeadlocks(() => inTransaction(database, cancel));
}

/** The same run once more: what has ended well is kept, unless something that it was built on is done again. */
export async function retryRun(
  { database, intake }: Parts,
  scope: Scope,
  id: string,
  from?: string,
): Promise<void> {
  await inTransaction(database, async (client) => {
    const run = await lockOwn(client, scope, id);
    if (run.finished_at === null)
      throw new EngineError("job-not-ended", "the run has not ended yet");
    if (run.parent_id !== null) {
      throw new EngineError(
        "invalid-input",
        `retry the run that it is a step of: ${run.parent_id}`,
      );
    }
    if (run.results_removed_at !== null) {
      const message = `its results were removed on ${run.results_removed_at.toISOString()}: start a new run`;
      throw new EngineError("results-gone", message);
    }
    await requireEndedBelow(client, id);
    const again = (await workAgain(client, [id])).get(id);
    if (again?.isOvertaken === true) throw superseded();
    await putBack(client, run, from);
    await client.query("select croft.release_lane($1)", [id]); // got when it had been given up
    const jobId = await submitStart(intake, client, run, again?.line);
    await client.query(
      `with next as (
         update croft.run set status = 'queued', attempt = attempt + 1, start_job_id = $2, error = null, outputs = null,
           cancel_requested_at = null, cancel_forced_at = null, finished_at = null, advance_failures = 0,
           advance_failing_since = null, seq = seq + 1
         where id = $1 returning id, owner, seq, attempt
       ), told as (
         insert into croft.event (subject, seq, owner, type, data)
         select id, seq, owner, 'run.queued', jsonb_build_object('attempt', attempt) from next
       )
       select croft.announce(array[id]) from next`,
      [id, jobId],
    );
  });
}

/** Of one that was given up: they have been told, and are gone on with when they have ended. */
async function requireEndedBelow(client: Queryable, id: string): Promise<void> {
  const { rows } = await client.query<{ is_open: boolean }>(
    "select exists (select from croft.run where root_id = $1 and finished_at is null) as is_open",
    [id],
  );
  if (rows[0]?.is_open !== true) return;
  const message = "pipelines that it uses are still ending: try again in a moment";
  throw new EngineError("job-not-ended", message);
}

export interface Decision {
  readonly step: string;
  readonly isApproved: boolean;
  readonly by: string;
}

export async function decideApproval(
  { database }: Parts,
  scope: Scope,
  id: string,
  { step, isApproved, by }: Decision,
): Promise<void> {
  await inTransaction(database, async (client) => {
    await lockOwn(client, scope, id);
    const refusal = {
      code: "not-approved",
      class: "cancelled",
      message: `${by} did not approve it`,
    };
    const { rowCount } = await client.query(
      `update croft.run_step set status = $3, decided_by = $4, decided_at = croft.now(), finished_at = croft.now(),
         error = $5
       where run_id = $1 and step = $2 and item = '' and status = 'waiting'`,
      [id, step, isApproved ? "done" : "failed", by, isApproved ? null : JSON.stringify(refusal)],
    );
    if (rowCount === 0) {
      throw new EngineError(
        "not-found",
        `no approval is asked for by step '${step.slice(0, 100)}'`,
      );
    }
    await client.query(
      `with next as (
         update croft.run set seq = seq + 1 where id = $1 returning id, owner, seq
       ), told as (
         insert into croft.event (subject, seq, owner, type, data)
         select id, seq, owner, 'run.step', $2::jsonb from next
       )
       select croft.announce(array[id]) from next`,
      [id, JSON.stringify({ step, status: isApproved ? "done" : "failed", decided_by: by })],
    );
    await client.query("select croft.mark_due($1)", [[id]]);
  });
}

async function lockOwn(client: Queryable, { owner }: Scope, id: string): Promise<RunRow> {
  const { rows } = await client.query<RunRow>(
    "select * from croft.run where id = $1 and ($2::text is null or owner = $2) for update",
    [id, owner ?? null],
  );
  const [run] = rows;
  if (run === undefined)
    throw new EngineError("not-found", `there is no run '${id.slice(0, 100)}'`);
  return run;
}

/** The steps that are to be done again. */
export async function putBack(
  client: Queryable,
  run: RunRow,
  from: string | undefined,
): Promise<void> {
  const rows = await readSteps(client, run.id);
  const { goneOn, begunAgain } = retryPlan(pipelineOf(run), rows, from);
  if (run.status === "done" && goneOn.length + begunAgain.length === 0) {
    throw new EngineError(
      "job-ended",
      "there is nothing to do: no step failed; name one to do it again, with all that need it ('from')",
    );
  }
  await client.query(
    "delete from croft.run_step where run_id = $1 and item <> '' and step = any ($2)",
    [run.id, begunAgain],
  );
  await client.query(
    `update croft.run_step set status = case when is_group and step = any ($3) then 'running' else 'pending' end::croft.step_status,
       is_group = is_group and step = any ($3), job_id = null, child_id = case when step = any ($3) then child_id end, outputs = null, commit = null, base = null,
       branch = null, report = null, summary = null, error = null, reason = null, message = null, decided_by = null,
       decided_at = null, deadline_at = null, stopped_at = null, finished_at = null
     where run_id = $1 and (step = any ($2) or step = any ($3) and status <> 'done')`,
    [run.id, begunAgain, goneOn],
  );
}
