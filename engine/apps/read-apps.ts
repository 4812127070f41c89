// Apps as the API shows them.
import type { App, AppDetail, AppList, AppQuery } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { listKeys } from "./app-keys.ts";
import { noSuchApp } from "./touch-app.ts";

interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly base_url: string | null;
  readonly email: string | null;
  readonly description: string;
  readonly is_paused: boolean;
  readonly delivery_slots: number;
  readonly endpoint_failures: number;
  readonly endpoint_closed_until: Date | null;
  readonly endpoint_gone_at: Date | null;
  readonly is_closed: boolean;
  readonly watches: number;
  readonly undelivered: number;
  readonly last_seen_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

type Counts = Pick<
  AppDetail,
  "pending_deliveries" | "failed_deliveries" | "open_jobs" | "open_runs"
>;

/** Whoever has more than this need not know how many exactly. */
const COUNT_MAX = 1001;
const COLUMNS = `
  a.id, a.name, a.base_url, a.email, a.description, a.is_paused, a.delivery_slots, a.endpoint_failures,
  a.endpoint_closed_until, a.endpoint_gone_at, coalesce(a.endpoint_closed_until > croft.now(), false) as is_closed,
  a.created_at, a.updated_at, a.last_seen_at, (select count(*) from croft.watch w where w.app_id = a.id and w.removed_at is null)::int as watches,
  (select count(*) from (
     select from croft.watch w join croft.delivery d on d.watch_id = w.id and d.state in ('pending', 'sending')
     where w.app_id = a.id limit ${COUNT_MAX}) d
  )::int as undelivered`;

/** Newest first. The cursor is the last id of the page before. */
export async function listApps(
  { pool }: Database,
  { search, cursor, limit }: AppQuery,
): Promise<AppList> {
  const { rows } = await pool.query<AppRow>(
    `select ${COLUMNS} from croft.app a
     where a.deleted_at is null and ($2::uuid is null or a.id < $2)
       and ($1::text is null or a.id::text = $1 or concat_ws(' ', a.name, a.email, a.base_url) ilike $4)
     order by a.id desc limit $3`,
    [
      search ?? null,
      cursor ?? null,
      limit + 1,
      `%${(search ?? "").replaceAll(/[\\%_]/g, "\\$&")}%`,
    ],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { apps: rows.slice(0, limit).map(appOf), next_cursor: last?.id ?? null };
}

/** One that is being deleted is not there. */
export async function readApp({ pool }: Database, id: string): Promise<AppDetail> {
  const { rows } = await pool.query<AppRow & Counts>(
    `select ${COLUMNS},
       (select count(*) from (
          select from croft.delivery where app_id = a.id and state in ('staged', 'pending', 'sending') limit ${COUNT_MAX}) d
       )::int as pending_deliveries,
       (select count(*) from (
          select from croft.delivery where app_id = a.id and state in ('failed', 'quarantined') limit ${COUNT_MAX}) d
       )::int as failed_deliveries,
       ${openJobsOf("'app:' || a.id")} as open_jobs,
       (select count(*) from croft.run
        where status in ('queued', 'running', 'waiting') and owner = 'app:' || a.id)::int as open_runs
     from croft.app a where a.id = $1 and a.deleted_at is null`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw noSuchApp();
  const { pending_deliveries, failed_deliveries, open_jobs, open_runs } = row;
  return {
    ...appOf(row),
    ...{ pending_deliveries, failed_deliveries, open_jobs, open_runs },
    tokens: await listKeys(pool, "app_token", id),
    signing_secrets: await listKeys(pool, "signing_secret", id),
  };
}

/** As SQL: from what the queue counts itself, because its owner may have millions that have ended. */
export function openJobsOf(owner: string): string {
  return `(
    coalesce((select sum(queued) from croft.lane where owner = ${owner}), 0)
    + coalesce((select running from croft.owner where id = ${owner}), 0)
    + (select count(*) from croft.job where status = 'queued' and rank is null and owner = ${owner}))::int`;
}

function appOf(row: AppRow): App {
  const { id, name, base_url, email, description, delivery_slots, watches, undelivered } = row;
  const stopped = row.is_closed ? "closed" : "open";
  return {
    ...{ id, name, base_url, email, description, delivery_slots, watches, undelivered },
    paused: row.is_paused,
    endpoint: {
      state: row.endpoint_gone_at === null ? stopped : "gone",
      failures: row.endpoint_failures,
      closed_until: row.is_closed ? (row.endpoint_closed_until?.toISOString() ?? null) : null,
      gone_at: row.endpoint_gone_at?.toISOString() ?? null,
    },
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
