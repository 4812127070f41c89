// The event that goes with every change of a bulk action, in the same transaction.
import type { Queryable } from "../database/in-transaction.ts";

export type BulkEvent = "bulk.started" | "bulk.progress" | "bulk.done" | "bulk.aborted";

export async function tellBulk(client: Queryable, id: string, type: BulkEvent): Promise<void> {
  await client.query(
    `with told as (
       insert into croft.event (subject, seq, owner, type, data)
       select id, seq, owner, $2, jsonb_build_object('action', action, 'total', total, 'done', done, 'skipped', skipped)
       from croft.bulk where id = $1 returning subject
     )
     select croft.announce(array[subject]) from told`,
    [id, type],
  );
}
