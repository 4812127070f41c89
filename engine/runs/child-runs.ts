// Sub-pipelines: runs that are steps of others. They run in their parent's lane, and wait for it with their parent.
import { readInputs, type UsesStep } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import { putBack } from "./change-runs.ts";
import { createRun } from "./create-run.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { type CarriedStep, type RunRow, readRun } from "./run-rows.ts";
import type { RunTree } from "./run-tree.ts";
import { usedName } from "./used-pipelines.ts";

/** The one that the step had before is gone on with, unless it is given something else now. */
export async function startChild(
  client: Queryable,
  run: RunRow,
  step: UsesStep,
  row: CarriedStep,
  given: Readonly<Record<string, string | number | boolean>>,
  tree: RunTree,
): Promise<string> {
  const before = row.child_id === null ? undefined : await readRun(client, row.child_id);
  const isOver = before?.status === "failed" || before?.status === "cancelled";
  if (isOver && before.results_removed_at === null && isGiven(before, given)) {
    await reopenChild(client, before.id, "running");
    return before.id;
  }
  await tree.takePlace();
  const name = usedName(step, run.file) ?? "";
  const { id, owner, event, repository, ref, commit, kind, uses, started_by } = run;
  return await createRun(client, {
    ...{ owner, text: uses[name] ?? "", file: name, inputs: given },
    ...{ event, repository, ref, kind, uses, commit, startedBy: started_by, class: run.class },
    ...{ sourceTaskId: run.source_task_id },
    parent: { id, step: step.id, item: row.item },
  });
}

function isGiven(
  before: RunRow,
  given: Readonly<Record<string, string | number | boolean>>,
): boolean {
  const { inputs } = readInputs(pipelineOf(before), given);
  const names = [...new Set([...Object.keys(inputs), ...Object.keys(before.inputs)])];
  return names.every((name) => inputs[name] === before.inputs[name]);
}

/** Another attempt of it; what has ended well is kept. As `queued` it waits for its parent to have the lane. */
export async function reopenChild(
  client: Queryable,
  id: string,
  status: "running" | "queued",
): Promise<void> {
  const { rows } = await client.query<RunRow>(
    `update croft.run set status = $2::croft.run_status, attempt = attempt + 1, error = null, outputs = null, start_job_id = null,
       cancel_requested_at = null, cancel_forced_at = null, finished_at = null, advance_failures = 0,
       advance_failing_since = null, seq = seq + 1
     where id = $1 and status in ('failed', 'cancelled') returning *`,
    [id, status],
  );
  const [run] = rows;
  if (run === undefined) throw new Error(`run ${id} has not failed`);
  await putBack(client, run, undefined);
  await client.query(
    `with told as (
       insert into croft.event (subject, seq, owner, type, data)
       select id, seq, owner, case when status = 'queued' then 'run.queued' else 'run.started' end,
         jsonb_build_object('attempt', attempt) from croft.run where id = $1
     )
     select croft.announce(array[$1::uuid]), croft.mark_due(array[$1::uuid])`,
    [id],
  );
}

/** Their parent has the lane: those of these that wait for it go on. */
export async function resumeChildren(client: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query(
    `with next as (
       update croft.run set status = 'running', seq = seq + 1 where id = any ($1) and status = 'queued'
       returning id, owner, seq
     ), told as (
       insert into croft.event (subject, seq, owner, type, data) select id, seq, owner, 'run.started', '{}' from next
     )
     select croft.announce(array_agg(id)), croft.mark_due(array_agg(id)) from next having count(*) > 0`,
    [ids],
  );
}

/** Those that it uses and that go on still are told with it; how many were. */
export async function forceChildren(
  client: Queryable,
  { id }: Pick<RunRow, "id">,
  max: number,
): Promise<number> {
  const { rows } = await client.query<{ id: string }>(
    "select id from croft.run where parent_id = $1 and finished_at is null and cancel_forced_at is null order by id limit $2",
    [id, max],
  );
  const ids = rows.map((row) => row.id);
  await cancelRuns(client, ids, true);
  return ids.length;
}

/** With all that they use themselves. */
export async function cancelRuns(
  client: Queryable,
  ids: readonly string[],
  isForced: boolean,
): Promise<void> {
  if (ids.length > 0) await client.query("select croft.cancel_runs($1, $2)", [ids, isForced]);
}
