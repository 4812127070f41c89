// The workspaces of a run's steps: where each is, and what became of it.
import type { RunWorkspace, RunWorkspaces } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";

interface WorkspaceRow {
  readonly id: string;
  readonly kind: RunWorkspace["kind"];
  readonly path: string;
  readonly host: string;
  readonly step: string | null;
  readonly job_id: string;
  readonly attempt: number;
  readonly state: RunWorkspace["state"];
  readonly created_at: Date;
  readonly removed_at: Date | null;
}

const WORKSPACES_MAX = 500;

export async function listRunWorkspaces(
  { pool }: Database,
  { owner }: Scope,
  runId: string,
): Promise<RunWorkspaces> {
  const { rowCount } = await pool.query(
    "select from croft.run where id = $1 and ($2::text is null or owner = $2)",
    [runId, owner ?? null],
  );
  if (rowCount === 0)
    throw new EngineError("not-found", `there is no run '${runId.slice(0, 100)}'`);
  const { rows } = await pool.query<WorkspaceRow>(SELECT, [runId]);
  return { workspaces: rows.map(workspaceOf) };
}

/** Who removes one of an attempt that is over has a moment; after that it counts as left. */
const SELECT = `
  select * from (select w.id, w.entry ->> 'kind' as kind, w.entry ->> 'path' as path, w.host, j.step,
    (w.entry ->> 'jobId')::uuid as job_id, (w.entry ->> 'attempt')::integer as attempt,
    case
      when w.removing_at > croft.now() - interval '1 minute' then 'removing'
      when j.status = 'running' and j.attempt = (w.entry ->> 'attempt')::integer
        then case when w.removing_at is null then 'in-use' else 'removing' end
      else 'left'
    end as state, w.created_at, null::timestamptz as removed_at
  from croft.workspace w left join croft.job j on j.id = (w.entry ->> 'jobId')::uuid
  where w.entry ->> 'runId' = $1::text
  union all
  (select r.id, r.kind, r.path, r.host, j.step, r.job_id, r.attempt, 'removed', r.created_at, r.removed_at
   from croft.removed_workspace r left join croft.job j on j.id = r.job_id
   where r.run_id = $1::uuid order by r.created_at desc limit ${WORKSPACES_MAX})) as w
  order by removed_at is not null, created_at desc limit ${WORKSPACES_MAX}`;

function workspaceOf({ step, created_at, removed_at, ...row }: WorkspaceRow): RunWorkspace {
  const [id = "", ...item] = (step ?? "").split("/"); // as its job is named
  return {
    ...{ ...row, step: id, item: item.length === 0 ? null : item.join("/") },
    created_at: created_at.toISOString(),
    removed_at: removed_at?.toISOString() ?? null,
  };
}
