// Jobs as the API shows them: with the reason why one waits, and its place in line.
import type { Job, JobFilter, JobPriority } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";

/** Whose jobs a caller may see: one owner's, or everybody's. */
export interface Scope {
  readonly owner: string | undefined;
}

export interface JobRow {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly type: string;
  readonly class: number;
  readonly status: Job["status"];
  readonly waiting_for: Job["waiting_for"];
  readonly position: string | null;
  readonly attempt: number;
  readonly attempts: number | null;
  readonly timeout_ms: string | null;
  readonly input: Record<string, unknown>;
  readonly result: unknown;
  readonly result_assets: readonly string[];
  readonly error: Job["error"];
  readonly progress: Job["progress"];
  readonly cancel_requested_at: Date | null;
  readonly dedupe: string | null;
  readonly source_task_id: string | null;
  readonly retry_of: string | null;
  readonly notify: boolean | null;
  readonly run_id: string | null;
  readonly step: string | null;
  readonly worker_id: string | null;
  readonly created_at: Date;
  readonly run_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

const PRIORITIES: readonly JobPriority[] = ["background", "normal", "interactive"];
/** Counting further would cost more than anybody gains by it. */
const POSITION_MAX = 1000;

/** What is known of a job `j` by looking at others. */
export const AROUND = `
    case
      when j.status <> 'queued' then null
      when j.rank is null and j.run_at > '9999-01-01' then 'line'
      when j.rank is null then 'time'
      when l.is_paused or l.running >= l.max_running then 'lane'
      when o.running >= o.max_running then 'owner'
      when q.running >= q.max_running then 'global'
      else 'worker'
    end as waiting_for,
    case when j.status = 'queued' and j.rank is not null then 1 + (
      select count(*) from (
        select from croft.job x
        where x.lane_id = j.lane_id and x.status = 'queued' and x.rank is not null and (x.rank, x.id) < (j.rank, j.id)
        limit ${POSITION_MAX}
      ) ahead)
    end as position,
    case when j.status = 'done'
      then array(select id from croft.asset a where a.job_id = j.id and a.kind = 'generated' order by id) else '{}'
    end as result_assets`;
/** Where that is found. */
export const BESIDE = `
  left join croft.lane l on l.id = j.lane_id
  left join croft.owner o on o.id = j.owner
  cross join croft.queue q`;

const SELECT = `select j.*, ${AROUND} from croft.job j ${BESIDE}`;

/** A foreign job is not there: nobody learns that it exists. */
export async function readJob(database: Database, { owner }: Scope, id: string): Promise<Job> {
  const { rows } = await database.pool.query<JobRow>({
    name: "read-job",
    text: `${SELECT} where j.id = $1 and ($2::text is null or j.owner = $2)`,
    values: [id, owner ?? null],
  });
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such job");
  return jobOf(row);
}

/** In the order of their ids; those that are gone are left out. */
export async function readJobs(client: Queryable, ids: readonly string[]): Promise<Job[]> {
  const text = `${SELECT} where j.id = any ($1) order by j.id`;
  const { rows } = await client.query<JobRow>(text, [ids]);
  return rows.map(jobOf);
}

/** SQL for the jobs `j` that a caller sees and a filter names. */
export function conditionsOf(
  { owner }: Scope,
  filter: JobFilter,
): { readonly text: string; readonly values: unknown[] } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (condition: string, value: unknown) => {
    values.push(value);
    conditions.push(condition.replace("?", `$${values.length}`));
  };
  if (owner !== undefined) add("j.owner = ?", owner);
  if (filter.owner !== undefined) add("j.owner = ?", filter.owner);
  if (filter.status !== undefined) add("j.status = ?::croft.job_status", filter.status);
  if (filter.type !== undefined) add("j.type = ?", filter.type);
  if (filter.key !== undefined) add("j.key = ?", filter.key);
  if (filter.source_task_id !== undefined) add("j.source_task_id = ?", filter.source_task_id);
  return { text: conditions.length === 0 ? "true" : conditions.join(" and "), values };
}

export function jobOf(row: JobRow): Job {
  const { class: rank, cancel_requested_at, position, timeout_ms, ...rest } = row;
  return {
    ...pick(rest),
    key: row.key === "" ? null : row.key,
    priority: PRIORITIES[rank] ?? "normal",
    position: position === null ? null : Number(position),
    timeout_ms: timeout_ms === null ? null : Number(timeout_ms),
    notify: row.notify === true && row.owner.startsWith("app:"), // others are in a line by it
    cancel_requested: cancel_requested_at !== null && row.status === "running",
    result_assets: [...row.result_assets],
    created_at: row.created_at.toISOString(),
    run_at: (isHeld(row) ? row.created_at : row.run_at).toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** Until all work before it in its line has ended, it has no time. */
function isHeld({ run_at }: Pick<JobRow, "run_at">): boolean {
  return run_at.getUTCFullYear() === 9999;
}

function pick(row: Omit<JobRow, "class" | "cancel_requested_at" | "position" | "timeout_ms">) {
  const { id, owner, type, status, waiting_for, attempt, attempts, input, result, error } = row;
  const { progress, dedupe, source_task_id, retry_of, run_id, step, worker_id } = row;
  return {
    ...{ id, owner, type, status, waiting_for, attempt, attempts, input, result, error },
    ...{ progress, dedupe, source_task_id, retry_of, run_id, step, worker_id },
  };
}
