// Watches whose apps are sent every file again.
import type { Queryable } from "../database/in-transaction.ts";

/** How many of them there are still. Repositories are locked first, as whoever removes watches does. */
export async function resyncWatches(client: Queryable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await client.query<{ id: string }>(
    `select id from croft.repository where id in (select repository_id from croft.watch where id = any ($1))
     order by id for no key update`,
    [ids],
  );
  const { rowCount } = await client.query(
    `update croft.watch set wants_resync = true, retry_at = null where id in (
       select id from croft.watch where id = any ($1) and removed_at is null order by id for no key update)`,
    [ids],
  );
  await client.query("update croft.repository set next_poll_at = croft.now() where id = any ($1)", [
    rows.map(({ id }) => id),
  ]);
  await client.query("select pg_notify('croft_watch', '')");
  return rowCount ?? 0;
}
