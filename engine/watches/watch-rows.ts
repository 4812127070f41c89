// Watches as the database has them, with the remote and the app they belong to.
import type { Queryable } from "../database/in-transaction.ts";

export interface WatchRow {
  readonly id: string;
  readonly app_id: string;
  readonly repository_id: string;
  readonly url: string;
  /** '' is the default branch. */
  readonly ref: string;
  readonly credential_id: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly poll_ms: number | null;
  readonly state: "pending" | "synced" | "failing";
  readonly is_held: boolean;
  readonly wants_resync: boolean;
  readonly told_commit: string | null;
  readonly told_ref: string | null;
  readonly told_include: readonly string[] | null;
  readonly told_exclude: readonly string[] | null;
  readonly told_at: Date | null;
  readonly checked_at: Date | null;
  readonly failures: number;
  readonly failed_since: Date | null;
  readonly retry_at: Date | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly created_at: Date;
}

export const WATCH_COLUMNS = `w.id, w.app_id, w.repository_id, r.url, w.ref, w.credential_id, w.include, w.exclude, w.poll_ms,
  w.state, w.is_held, w.wants_resync, w.told_commit, w.told_ref, w.told_include, w.told_exclude, w.told_at, w.checked_at,
  w.failures, w.failed_since, w.retry_at, w.error, w.created_at`;

/**
 * Before any of its watches is: whoever locks several things takes the credential, then the repository, then the watch.
 * False when it is gone.
 */
export async function lockRepository(client: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from croft.repository where id = $1 for no key update",
    [id],
  );
  return rowCount === 1;
}

/** Those whose apps want to hear of anything. */
export async function watchesOf(client: Queryable, repositoryId: string): Promise<WatchRow[]> {
  const { rows } = await client.query<WatchRow>(
    `select ${WATCH_COLUMNS} from croft.watch w join croft.repository r on r.id = w.repository_id
       join croft.app a on a.id = w.app_id
     where w.repository_id = $1 and w.removed_at is null and not a.is_paused and a.deleted_at is null order by w.id`,
    [repositoryId],
  );
  return rows;
}

export async function findWatch(client: Queryable, id: string): Promise<WatchRow | undefined> {
  const { rows } = await client.query<WatchRow>(
    `select ${WATCH_COLUMNS} from croft.watch w join croft.repository r on r.id = w.repository_id
     where w.id = $1 and w.removed_at is null`,
    [id],
  );
  return rows[0];
}

/** The repository is asked as often as its most eager watch wants, and at once now. */
export async function setPolling(
  client: Queryable,
  repositoryId: string,
  defaultMs: number,
): Promise<void> {
  await client.query(
    `update croft.repository r set next_poll_at = croft.now(), poll_ms = (
       select coalesce(min(coalesce(w.poll_ms, $2)), $2) from croft.watch w
         where w.repository_id = r.id and w.removed_at is null)
     where r.id = $1`,
    [repositoryId, defaultMs],
  );
  await client.query("select pg_notify('croft_watch', '')");
}
