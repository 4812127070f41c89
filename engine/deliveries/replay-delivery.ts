// A delivery once more: what was given up goes on under its own id, what was accepted is sent again under a new one.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { readDelivery } from "./read-deliveries.ts";
import { replayGivenUp } from "./replay-given-up.ts";

export async function replayDelivery(
  database: Database,
  scope: Scope,
  id: string,
): Promise<string> {
  return await inTransaction(database, async (client) => {
    await readDelivery(client, scope, id);
    // No sync of its watch is queued meanwhile: that one would neither be seen here, nor wait for what is sent again.
    await client.query(
      "select from croft.watch where id = (select watch_id from croft.delivery where id = $1) for no key update",
      [id],
    );
    const { rows } = await client.query<{ state: string }>(
      "select state from croft.delivery where id = $1 for update",
      [id],
    );
    const state = rows[0]?.state;
    if (state !== "pending") await requireNewest(client, id);
    if (state === "pending") {
      await client.query(
        "update croft.delivery set due_at = croft.now() where id = $1 and state = 'pending'",
        [id],
      );
    } else if (state === "failed" || state === "quarantined") {
      await replayGivenUp(client, [id]);
    } else if (state === "delivered") {
      const copy = newId();
      await client.query(
        `with copy as (
           insert into croft.delivery (id, app_id, watch_id, sync_id, type, number, message, files, data, path_keys, above_keys,
               host, replay_of, seq)
             select $2, app_id, watch_id, sync_id, type, number, message, files, data, path_keys, above_keys, host, id, 1
             from croft.delivery where id = $1 returning id, app_id, watch_id, sync_id
         ), told as (
           insert into croft.event (subject, seq, owner, type, data)
             select id, 1, 'app:' || app_id, 'delivery.queued', jsonb_build_object('watch', watch_id) from copy
         )
         update croft.sync set unsettled = unsettled + 1, state = 'ready', settled_at = null
           where id = (select sync_id from copy)`,
        [id, copy],
      );
      await client.query(
        "select croft.announce(array[$1::uuid]), pg_notify('croft_delivery', '')",
        [copy],
      );
      return copy;
    } else {
      throw new EngineError("delivery-busy", `it is ${state} at the moment`);
    }
    await client.query("select croft.announce(array[$1::uuid]), pg_notify('croft_delivery', '')", [
      id,
    ]);
    return id;
  });
}

/** Old content over newer would leave the app with what is in no commit: a re-sync is the way then. */
async function requireNewest(client: Queryable, id: string): Promise<void> {
  const { rows } = await client.query(
    `select 1 from croft.delivery d join croft.delivery later on later.watch_id = d.watch_id and later.number > d.number
         and later.sync_id <> d.sync_id
       join croft.sync s on s.id = later.sync_id
     where d.id = $1 and (s.is_reset or later.path_keys && (d.path_keys || d.above_keys) or later.above_keys && d.path_keys)
     limit 1`,
    [id],
  );
  if (rows.length === 0) return;
  const way = "a later delivery is about the same paths; re-sync the watch instead";
  throw new EngineError("delivery-busy", way);
}
