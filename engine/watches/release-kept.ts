// Commits that were kept for watches and syncs which need them no more, and mirrors that nobody watches.
import type { Queryable } from "../database/in-transaction.ts";
import type { PolledRepository, PollParts } from "./poll-repository.ts";
import { keptForSync, keptForWatch } from "./sync-watch.ts";
import { remoteOf } from "./watch-access.ts";

/** What was given up can be sent again by hand, so its content stays as long as its row. */
async function wantedNames(client: Queryable, repositoryId: string): Promise<Set<string>> {
  const { rows } = await client.query<{ watch_id: string; sync_id: string | null }>(
    `select w.id as watch_id, s.id as sync_id from croft.watch w left join croft.sync s on s.watch_id = w.id and (s.state <> 'settled'
       or exists (select from croft.delivery d where d.sync_id = s.id and d.state in ('failed', 'quarantined')))
     where w.repository_id = $1`,
    [repositoryId],
  );
  return new Set(
    rows.flatMap(({ watch_id, sync_id }) => [
      keptForWatch(watch_id),
      ...(sync_id === null ? [] : [keptForSync(sync_id)]),
    ]),
  );
}

/** Under the poll's lease: no sync of this repository begins meanwhile. */
export async function releaseKept(parts: PollParts, { id, url }: PolledRepository): Promise<void> {
  const git = await parts.git();
  const remote = remoteOf(parts, url);
  const kept = await git.kept.list(remote);
  if (kept.length === 0) return;
  const wanted = await wantedNames(parts.database.pool, id);
  const stale = kept.map(({ name }) => name).filter((name) => isOurs(name) && !wanted.has(name));
  await git.kept.release(remote, stale);
}

function isOurs(name: string): boolean {
  return name.startsWith(keptForSync("")) || name.startsWith(keptForWatch(""));
}
