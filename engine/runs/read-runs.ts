// Runs as the API shows them.
import {
  type Run,
  type RunDetail,
  type RunList,
  type RunQuery,
  type RunStep,
  StepIntegration,
} from "@croft/contract";
import type { Step } from "@croft/pipeline";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { isId } from "../new-id.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { type CarriedStep, type RunRow, readSteps, rowsByStep } from "./run-rows.ts";

export async function showRun({ pool }: Database, scope: Scope, id: string): Promise<RunDetail> {
  const { rows } = await pool.query<RunRow>(
    "select * from croft.run where id = $1 and ($2::text is null or owner = $2)",
    [id, scope.owner ?? null],
  );
  const [row] = rows;
  if (row === undefined)
    throw new EngineError("not-found", `there is no run '${id.slice(0, 100)}'`);
  const steps = await readSteps(pool, id);
  return { ...runOf(row), text: row.text, steps: stepsOf(shapesOf(row, steps), steps) };
}

/** As the pipeline says it. */
type StepShape = Pick<Step, "id" | "name" | "kind" | "needs">;

/** A text that another version of Croft took may be one that this cannot read: then only what was done is known. */
function shapesOf(row: RunRow, steps: readonly CarriedStep[]): readonly StepShape[] {
  try {
    return pipelineOf(row).steps;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "invalid-pipeline") throw error;
    return steps.flatMap(({ step: id, item, child_id, message, decided_by }) => {
      const isAsked = message !== null || decided_by !== null;
      const kind = child_id !== null ? "uses" : isAsked ? "approval" : "run";
      return item === "" ? [{ id, name: id, kind, needs: [] }] : [];
    });
  }
}

export async function listRuns(
  { pool }: Database,
  { owner }: Scope,
  { status, name, source_task_id, cursor, limit }: RunQuery,
): Promise<RunList> {
  if (cursor !== undefined && !isId(cursor)) {
    throw new EngineError("invalid-input", "cursor: it is not one of ours");
  }
  const { rows } = await pool.query<RunRow>(
    `select * from croft.run
     where ($1::text is null or owner = $1) and ($2::croft.run_status is null or status = $2)
       and ($3::text is null or name = $3) and ($4::uuid is null or id < $4)
       and ($6::text is null or source_task_id = $6)
     order by id desc limit $5`,
    [
      owner ?? null,
      status ?? null,
      name ?? null,
      cursor ?? null,
      limit + 1,
      source_task_id ?? null,
    ],
  );
  const runs = rows.slice(0, limit).map(runOf);
  return { runs, next_cursor: rows.length > limit ? (runs.at(-1)?.id ?? null) : null };
}

function runOf(row: RunRow): Run {
  const { id, owner, name, number, status, file, inputs, outputs, repository, ref, commit } = row;
  const hasPipeline = row.pipeline_id !== null && row.pipeline_version !== null;
  return {
    ...{ id, owner, name, number, status, file, inputs, outputs, repository, ref, commit },
    pipeline: hasPipeline
      ? { id: row.pipeline_id ?? "", version: row.pipeline_version ?? 0 }
      : null,
    key: row.key === "" ? null : row.key,
    ...{ attempt: row.attempt, parent_id: row.parent_id, started_by: row.started_by },
    source_task_id: row.source_task_id,
    cancel_requested: row.cancel_requested_at !== null,
    error: row.error,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function stepsOf(shapes: readonly StepShape[], rows: readonly CarriedStep[]): RunStep[] {
  const byStep = rowsByStep(rows);
  return shapes.flatMap(({ id, name, kind, needs }) =>
    [...(byStep.get(id) ?? [])]
      .sort((a, b) => Number(a.item !== "") - Number(b.item !== "") || a.position - b.position)
      .map((row) => ({
        ...{ step: id, item: row.item === "" ? null : row.item, name, kind, needs: [...needs] },
        ...{ status: statusOf(row), reason: row.reason, job_id: row.job_id, run_id: row.child_id },
        ...{ attempt: row.job_attempt, outputs: row.outputs ?? {}, commit: row.commit },
        ...{ branch: row.branch, report: row.report, summary: row.summary, error: row.error },
        ...{ matrix: row.matrix, message: row.message, decided_by: row.decided_by },
        integration: kind === "integrate" ? integrationOf(row) : null,
        decided_at: row.decided_at?.toISOString() ?? null,
        deadline_at: row.deadline_at?.toISOString() ?? null,
        started_at: row.started_at?.toISOString() ?? null,
        finished_at: row.finished_at?.toISOString() ?? null,
      })),
  );
}

/** None before it has ended, nor of one that did not get so far. */
function integrationOf({ report }: CarriedStep): RunStep["integration"] {
  return StepIntegration.safeParse(report).data ?? null;
}

/** A step whose job waits for a slot has not really begun. */
function statusOf({ status, job_status }: CarriedStep): RunStep["status"] {
  return status === "running" && job_status === "queued" ? "queued" : status;
}
