// The end of a watch: from one moment on nothing of it is sent or shown; what it leaves behind goes a part at a time.
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { readWatch } from "./read-watches.ts";
import type { WatchParts } from "./watch-access.ts";
import { announceWatch } from "./watch-health.ts";
import { findWatch, lockRepository, setPolling } from "./watch-rows.ts";

/** Short transactions: a long one would hold back readers of events. */
const PART_MAX = 1000;
/** Whoever asks waits for so many; the rest is the janitor's. */
const PARTS_MAX = 3;

/** With all that was still to be sent of it. */
export async function deleteWatch(parts: WatchParts, scope: Scope, id: string): Promise<void> {
  const { database, config } = parts;
  await despiteDeadlocks(() =>
    inTransaction(database, async (client) => {
      await readWatch(client, scope, id);
      const watch = await findWatch(client, id);
      if (watch !== undefined) await lockRepository(client, watch.repository_id);
      // Held, no file of it is sent; and what else was to be said of it is not said.
      const { rows } = await client.query<{ app_id: string; seq: number; repository_id: string }>(
        `update croft.watch set removed_at = croft.now(), is_held = true, state = 'pending', seq = seq + 1
         where id = $1 and removed_at is null returning app_id, seq, repository_id`,
        [id],
      );
      const [row] = rows;
      if (row === undefined) throw new EngineError("not-found", "there is no such watch");
      await client.query(
        "delete from croft.delivery where watch_id = $1 and state = 'pending' and files is null",
        [id],
      );
      await announceWatch(client, { id, ...row }, "watch.removed", {});
      await setPolling(client, row.repository_id, config.watches.poll);
      await client.query("select pg_notify('croft_app', '')"); // wakes who removes the rest
    }),
  );
  await forgetWatch(database, id, PARTS_MAX);
}

/** True when some is left: of a crash, or of more than could be waited for. */
export async function forgetRemovedWatches(
  database: Database,
  isStopped: () => boolean,
): Promise<boolean> {
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from croft.watch where removed_at is not null order by id",
  );
  for (const { id } of rows) {
    while (await forgetWatch(database, id, 1)) if (isStopped()) return true;
  }
  if (rows.length === 0) return false;
  const { rows: left } = await database.pool.query<{ some: boolean }>(
    "select exists (select from croft.watch where removed_at is not null) as some",
  );
  return left[0]?.some === true; // somebody else is at it
}

/** True when there is more. */
async function forgetWatch(database: Database, id: string, partsMax: number): Promise<boolean> {
  for (let nth = 0; nth < partsMax; nth++) {
    const { rows } = await despiteDeadlocks(() =>
      database.pool.query<{ more: boolean }>("select croft.forget_watch($1, $2) as more", [
        ...[id, PART_MAX],
      ]),
    );
    if (rows[0]?.more !== true) return false;
  }
  return true;
}
