// Watches as their owners see them.
import type { Watch, WatchList, WatchQuery } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { WATCH_COLUMNS, type WatchRow } from "./watch-rows.ts";

type ShownRow = WatchRow & { readonly undelivered: number };

const SELECT = `select ${WATCH_COLUMNS}, (select count(*)::integer from croft.delivery d
    where d.watch_id = w.id and d.state in ('pending', 'sending')) as undelivered
  from croft.watch w join croft.repository r on r.id = w.repository_id join croft.app a on a.id = w.app_id
  where a.deleted_at is null and w.removed_at is null and ($1::uuid is null or w.app_id = $1)`;

export async function listWatches(
  { pool }: Database,
  scope: Scope,
  { app, state, search, cursor, limit }: WatchQuery,
): Promise<WatchList> {
  const { rows } = await pool.query<ShownRow>(
    `${SELECT} and ($2::uuid is null or w.app_id = $2) and ($3::text is null or w.state = $3)
       and ($4::text is null or position(lower($4) in lower(r.url)) > 0) and ($5::uuid is null or w.id < $5)
     order by w.id desc limit $6`,
    [appIdIn(scope), app ?? null, state ?? null, search ?? null, cursor ?? null, limit + 1],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { watches: rows.slice(0, limit).map(watchOf), next_cursor: last?.id ?? null };
}

/** A foreign one is not there: nobody learns that it exists. */
export async function readWatch(client: Queryable, scope: Scope, id: string): Promise<Watch> {
  const { rows } = await client.query<ShownRow>(`${SELECT} and w.id = $2`, [appIdIn(scope), id]);
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such watch");
  return watchOf(row);
}

/** Nobody else has watches: any other owner is answered with an id that no app has. */
export function appIdOf(owner: string): string {
  const [, id] = /^app:([0-9a-f-]{36})$/.exec(owner) ?? [];
  return id ?? "00000000-0000-0000-0000-000000000000";
}

function appIdIn({ owner }: Scope): string | null {
  return owner === undefined ? null : appIdOf(owner);
}

function watchOf(row: ShownRow): Watch {
  const { id, url, include, exclude, state, error, undelivered } = row;
  return {
    ...{
      id,
      app: row.app_id,
      url,
      ref: row.ref === "" ? null : row.ref,
      credential: row.credential_id,
    },
    ...{ include: [...include], exclude: [...exclude] },
    poll: row.poll_ms === null ? null : Math.round(row.poll_ms / 1000),
    ...{
      state,
      commit: row.told_commit,
      commit_ref: row.told_ref,
      held: row.is_held,
      error,
      undelivered,
    },
    told_at: timeOf(row.told_at),
    checked_at: timeOf(row.checked_at),
    failed_since: timeOf(row.failed_since),
    retry_at: timeOf(row.retry_at),
    created_at: row.created_at.toISOString(),
  };
}

function timeOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
