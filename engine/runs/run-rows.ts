// Runs and their steps as the database has them.
import type { JobError } from "@croft/contract";
import type { JsonValue } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import type { RunStatus, StepStatus } from "./run-state.ts";

export interface RunRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly number: number;
  readonly status: RunStatus;
  readonly text: string;
  readonly file: string | null;
  readonly pipeline_id: string | null;
  readonly pipeline_version: number | null;
  /** Texts of pipelines that steps use. */
  readonly uses: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly event: JsonValue | null;
  readonly repository: string;
  readonly ref: string | null;
  readonly commit: string | null;
  /** `worktree`: on a checkout of this machine, whose path `repository` is. */
  readonly kind: "worktree" | null;
  readonly key: string;
  readonly class: number;
  readonly start_job_id: string | null;
  readonly attempt: number;
  readonly parent_id: string | null;
  /** The outermost of those that it is used by. */
  readonly root_id: string | null;
  readonly parent_step: string | null;
  readonly parent_item: string | null;
  readonly started_by: string;
  readonly source_task_id: string | null;
  readonly cancel_requested_at: Date | null;
  readonly cancel_forced_at: Date | null;
  /** How often in a row it could not go on. */
  readonly advance_failures: number;
  readonly error: JobError | null;
  readonly outputs: Readonly<Record<string, JsonValue>> | null;
  readonly seq: number;
  readonly results_removed_at: Date | null;
  /** Its code is that of a fork which nobody trusts; of the outermost run, for all that it uses. */
  readonly withholds_secrets: boolean;
  /** The commit that its event is about; null: whatever its ref leads to when it begins. */
  readonly expected: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export interface StepRow {
  readonly step: string;
  readonly item: string;
  readonly position: number;
  readonly status: StepStatus;
  readonly is_group: boolean;
  readonly matrix: Readonly<Record<string, JsonValue>> | null;
  readonly depends_on: readonly string[];
  readonly job_id: string | null;
  readonly child_id: string | null;
  /** How often the sub-pipeline was started since the step began. */
  readonly child_attempts: number;
  /** When a sub-pipeline that has failed is started again. */
  readonly retry_at: Date | null;
  readonly outputs: Readonly<Record<string, JsonValue>> | null;
  readonly commit: string | null;
  readonly base: string | null;
  readonly branch: string | null;
  /** What else it has to say, by its kind: conflicts of a merge, warnings of checks. */
  readonly report: Readonly<Record<string, JsonValue>> | null;
  readonly summary: string | null;
  readonly error: JobError | null;
  readonly reason: string | null;
  /** Of an approval, while and after somebody is asked. */
  readonly message: string | null;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly deadline_at: Date | null;
  readonly stopped_at: Date | null;
  /** Begun when the run was cancelled already. */
  readonly is_after_cancel: boolean;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** A step with what carries it, which may have ended already. What came of that is read once: later the step has it. */
export interface CarriedStep extends StepRow {
  readonly job_status: "queued" | "running" | "done" | "failed" | "cancelled" | null;
  readonly job_attempt: number | null;
  readonly job_result: unknown;
  readonly job_error: JobError | null;
  readonly child_status: RunStatus | null;
  readonly child_outputs: Readonly<Record<string, JsonValue>> | null;
  readonly child_error: JobError | null;
}

/** Undefined when somebody else goes on with it at this moment, or there is none. */
export async function lockRun(client: Queryable, id: string): Promise<RunRow | undefined> {
  const { rows } = await client.query<RunRow>(
    "select * from croft.run where id = $1 for update skip locked",
    [id],
  );
  return rows[0];
}

export async function readRun(client: Queryable, id: string): Promise<RunRow | undefined> {
  const { rows } = await client.query<RunRow>("select * from croft.run where id = $1", [id]);
  return rows[0];
}

export async function readSteps(client: Queryable, runId: string): Promise<CarriedStep[]> {
  const { rows } = await client.query<CarriedStep>(
    `select s.*, j.status as job_status, j.attempt as job_attempt,
       case when s.status = 'running' then j.result end as job_result,
       case when s.status = 'running' then j.error end as job_error, c.status as child_status,
       case when s.status = 'running' then c.outputs end as child_outputs,
       case when s.status = 'running' then c.error end as child_error
     from croft.run_step s
     left join croft.job j on j.id = s.job_id
     left join croft.run c on c.id = s.child_id
     where s.run_id = $1 order by s.position, s.item`,
    [runId],
  );
  return rows;
}

export function rowsByStep<Row extends Pick<StepRow, "step">>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const byStep = new Map<string, Row[]>();
  for (const row of rows) {
    const own = byStep.get(row.step);
    if (own === undefined) byStep.set(row.step, [row]);
    else own.push(row);
  }
  return byStep;
}
