// The end of an app: what would go with it, and the moment from which on nothing of it works any more.
import type { AppDeletion } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { openJobsOf } from "./read-apps.ts";
import { noSuchApp } from "./touch-app.ts";

/** What is more is left to the janitor: a long transaction would hold back readers of events. */
const PART_MAX = 2000;

/** Counts only: nothing changes. */
export async function previewDeletion({ pool }: Database, id: string): Promise<AppDeletion> {
  const { rows } = await pool.query<AppDeletion & { asset_bytes: string }>(PREVIEW, [id]);
  const [row] = rows;
  if (row === undefined) throw noSuchApp();
  return { ...row, asset_bytes: Number(row.asset_bytes) };
}

/**
 * In one transaction its tokens and signing secrets are gone, nothing of it starts any more, what runs is asked to end, and
 * what it had set up is removed. The janitor removes the rest when its last attempt has settled.
 */
export async function deleteApp(database: Database, id: string): Promise<void> {
  const isDone = await despiteDeadlocks(() =>
    inTransaction(database, async (client) => {
      const { rows } = await client.query<{ done: boolean }>(
        "select croft.delete_app($1, $2) as done",
        [id, PART_MAX],
      );
      return rows[0]?.done === true;
    }),
  );
  if (!isDone) throw noSuchApp();
}

const countOf = (table: string) =>
  `(select count(*) from croft.${table} where owner = app.owner)::int`;

const PREVIEW = `
  with app as (
    select a.id, a.name, 'app:' || a.id as owner, ${openJobsOf("'app:' || a.id")} as open_jobs
    from croft.app a where a.id = $1 and a.deleted_at is null
  )
  select name,
    (select count(*) from croft.watch where app_id = app.id)::int as watches,
    (select count(distinct repository_id) from croft.watch w where app_id = app.id and not exists (
      select from croft.watch where repository_id = w.repository_id and app_id <> app.id))::int as repositories,
    (select count(*) from croft.delivery
      where app_id = app.id and state in ('staged', 'pending', 'sending'))::int as undelivered,
    (select count(*) from croft.delivery where app_id = app.id)::int as deliveries,
    ${countOf("credential")} as credentials,
    ${countOf("secret")} as secrets,
    ${countOf("schedule")} as schedules,
    ${countOf("pipeline")} as pipelines,
    open_jobs, greatest(0, ${countOf("job")} - open_jobs) as ended_jobs,
    (select count(*) from croft.run where owner = app.owner and finished_at is null)::int as open_runs,
    (select count(*) from croft.run where owner = app.owner and finished_at is not null)::int as ended_runs,
    ${countOf("asset")} as assets,
    (select coalesce(sum(bytes), 0) from croft.asset where owner = app.owner) as asset_bytes
  from app`;
