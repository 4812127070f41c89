// Jobs as lists show them: without what is large, so that a page of them has a bound.
import type { JobFilter, JobList, ListedJob } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { isId } from "../new-id.ts";
import { AROUND, BESIDE, conditionsOf, type JobRow, jobOf, type Scope } from "./read-jobs.ts";

/** An input or a result may have a megabyte: two hundred of them took 900 MB of memory for one request. */
const LISTED_BYTES_MAX = 8 * 1024;

/** What is larger as it is stored is larger as a text too, mostly, and need not be read to know it. */
const isLarge = (column: string) => `
  case when pg_column_size(${column}) > ${LISTED_BYTES_MAX} then true
    else octet_length(${column}::text) > ${LISTED_BYTES_MAX} end`;

/** First the rows are chosen, and only then is it found out how large they are. */
const listed = (chosen: string) => `
  select j.id, j.owner, j.key, j.type, j.class, j.status, j.attempt, j.attempts, j.timeout_ms, j.error, j.progress,
    j.cancel_requested_at, j.dedupe, j.source_task_id, j.retry_of, j.notify, j.run_id, j.step, j.worker_id, j.created_at,
    j.run_at, j.started_at, j.finished_at, large.input_is_large, large.result_is_large,
    case when not large.input_is_large then j.input end as input,
    case when not large.result_is_large then j.result end as result, ${AROUND}
  from (select j.* from croft.job j ${chosen}) j ${BESIDE}
  cross join lateral (
    select ${isLarge("j.input")} as input_is_large, coalesce(${isLarge("j.result")}, false) as result_is_large offset 0
  ) large
  order by j.id desc`;

interface ListedRow extends JobRow {
  readonly input_is_large: boolean;
  readonly result_is_large: boolean;
}

export interface JobPage extends JobFilter {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Newest first. The cursor is the last id of the page before. */
export async function listJobs(
  { pool }: Database,
  scope: Scope,
  { limit, cursor, ...filter }: JobPage,
): Promise<JobList> {
  const { text, values } = conditionsOf(scope, filter);
  if (cursor !== undefined && !isId(cursor)) {
    throw new EngineError("invalid-input", "not valid: cursor");
  }
  const before = cursor === undefined ? "" : ` and j.id < '${cursor}'`;
  const { rows } = await pool.query<ListedRow>(
    listed(`where ${text}${before} order by j.id desc limit ${limit + 1}`),
    values,
  );
  const jobs = rows.slice(0, limit).map(listedOf);
  const last = rows.length > limit ? jobs.at(-1) : undefined;
  return { jobs, next_cursor: last?.id ?? null };
}

/** One of them; a foreign one is not there. */
export async function readListedJob(
  { pool }: Database,
  { owner }: Scope,
  id: string,
): Promise<ListedJob> {
  const { rows } = await pool.query<ListedRow>(
    listed("where j.id = $1 and ($2::text is null or j.owner = $2)"),
    [id, owner ?? null],
  );
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such job");
  return listedOf(row);
}

function listedOf(row: ListedRow): ListedJob {
  return {
    ...jobOf(row),
    omitted: [
      ...(row.input_is_large ? (["input"] as const) : []),
      ...(row.result_is_large ? (["result"] as const) : []),
    ],
  };
}
