// An event once more, for an admin: it is handled again, and starts its work anew.
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";

export async function replayEvent(database: Database, id: string): Promise<void> {
  await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ status: string }>(
      "select status from croft.inbox where id = $1 for update",
      [id],
    );
    const [found] = rows;
    if (found === undefined) throw new EngineError("not-found", "there is no such event");
    if (found.status === "pending") {
      throw new EngineError("event-pending", "it has not been handled yet; wait for its end");
    }
    await client.query(
      `with again as (
         update croft.inbox set status = 'pending', replay = replay + 1, failures = 0, refusals = 0, lost = 0,
             due_at = croft.now(), wanted_at = croft.now(), error = null, settled_at = null, seq = seq + 1
           where id = $1 returning *
       )
       insert into croft.event (subject, seq, owner, type, data)
         select id, seq, 'local', 'inbox.replayed', croft.inbox_data(event, action, installation, repository) from again`,
      [id],
    );
    await client.query("select croft.announce(array[$1::uuid]), pg_notify('croft_inbox', '')", [
      id,
    ]);
  });
}
