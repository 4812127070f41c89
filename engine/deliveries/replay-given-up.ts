// Deliveries that were given up or set aside, once more, under their own ids.
import type { Queryable } from "../database/in-transaction.ts";

/**
 * Which of them are sent again. Left out are those that a later message stands in the way of: old content over newer would
 * leave the app with what is in no commit, so their watch has to be re-synced. No sync of these watches is queued meanwhile:
 * that one would neither be seen here, nor wait for what is sent again.
 */
export async function replayGivenUp(client: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  await client.query(
    `select from croft.watch where id in (select watch_id from croft.delivery where id = any ($1))
     order by id for no key update`,
    [ids],
  );
  await client.query("select from croft.delivery where id = any ($1) order by id for update", [
    ids,
  ]);
  const { rows } = await client.query<{ id: string }>(
    `with again as (
       update croft.delivery d set state = 'pending', failures = 0, refusals = 0, unsent = 0, due_at = croft.now(),
         settled_at = null, waits = 0, seq = seq + 1
       where d.id = any ($1) and d.state in ('failed', 'quarantined') and not exists (
         select from croft.delivery later join croft.sync s on s.id = later.sync_id
         where later.watch_id = d.watch_id and later.number > d.number and later.sync_id <> d.sync_id
           and (s.is_reset or later.path_keys && (d.path_keys || d.above_keys) or later.above_keys && d.path_keys))
       returning d.id, d.seq, d.app_id, d.watch_id, d.sync_id
     ), told as (
       insert into croft.event (subject, seq, owner, type, data)
         select id, seq, 'app:' || app_id, 'delivery.queued', jsonb_build_object('watch', watch_id) from again order by id
     ), syncs as (
       update croft.sync s set unsettled = s.unsettled + c.many, state = 'ready', settled_at = null
       from (select sync_id, count(*)::integer as many from again where sync_id is not null group by sync_id) c
       where s.id = c.sync_id
     )
     select id from again order by id`,
    [ids],
  );
  const again = rows.map(({ id }) => id);
  if (again.length > 0) {
    await client.query("select croft.announce($1::uuid[]), pg_notify('croft_delivery', '')", [
      again,
    ]);
  }
  return again;
}
