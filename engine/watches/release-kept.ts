// Commits that mirrors keep for watches and syncs: written down before they are kept, and released when nobody needs them.
import type { CommitId, RemoteUrl } from "@croft/git";
import type { PolledRepository } from "./poll-repository.ts";
import type { SyncParts } from "./sync-watch.ts";
import { remoteOf } from "./watch-access.ts";

/** What a watch was told of, or what is still to be sent of a sync. */
export interface KeptSubject {
  readonly kind: "watch" | "sync";
  readonly id: string;
}

export async function keepCommit(
  parts: Pick<SyncParts, "database" | "dispatcher" | "git">,
  { repositoryId, remote }: { readonly repositoryId: string; readonly remote: RemoteUrl },
  { kind, id }: KeptSubject,
  commit: CommitId,
): Promise<void> {
  const { database, dispatcher } = parts;
  await database.pool.query(
    `insert into croft.kept_commit (repository_id, host, kind, subject_id) values ($1, $2, $3, $4) on conflict do nothing`,
    [repositoryId, dispatcher.host, kind, id],
  );
  const git = await parts.git();
  await git.kept.keep(remote, nameOf({ kind, id }), commit);
}

/**
 * Git is asked only when there is something. Under the poll's lease no sync of this repository begins; whoever has lost it
 * finds nothing here, because what it does not know is its successor's. What was given up can be sent again by hand, so its
 * content stays as long as its row.
 */
export async function releaseKept(
  parts: SyncParts,
  { id, url }: Pick<PolledRepository, "id" | "url">,
): Promise<void> {
  const { pool } = parts.database;
  const place = [id, parts.dispatcher.host];
  const { rows } = await pool.query<KeptSubject>(
    `select k.kind, k.subject_id as id from croft.kept_commit k
     where k.repository_id = $1 and k.host = $2
       and exists (select from croft.repository r where r.id = $1 and r.dispatcher_id = $3)
       and case k.kind when 'watch' then not exists (select from croft.watch w where w.id = k.subject_id)
         else not exists (select from croft.sync s where s.id = k.subject_id and (s.state <> 'settled'
           or exists (select from croft.delivery d where d.sync_id = s.id and d.state in ('failed', 'quarantined')))) end`,
    [...place, parts.dispatcherId],
  );
  if (rows.length === 0) return;
  const git = await parts.git();
  await git.kept.release(remoteOf(parts, url), rows.map(nameOf));
  await pool.query(
    `delete from croft.kept_commit k using jsonb_to_recordset($3) as gone(kind text, id uuid)
     where k.repository_id = $1 and k.host = $2 and k.kind = gone.kind and k.subject_id = gone.id`,
    [...place, JSON.stringify(rows)],
  );
}

function nameOf({ kind, id }: KeptSubject): string {
  return `${kind}-${id}`;
}
