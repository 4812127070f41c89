// Content that this host does not have: another had it, and is gone. Fetched anew, or given up for a new sync of everything.
import { type CommitId, GitError } from "@croft/git";
import type { Recovery } from "../deliveries/delivery-runner.ts";
import type { ClaimedDelivery } from "../deliveries/settle-deliveries.ts";
import { keepCommit } from "../watches/release-kept.ts";
import { accessOf, remoteOf, type WatchParts } from "../watches/watch-access.ts";
import { findWatch } from "../watches/watch-rows.ts";
import type { Dispatcher } from "./dispatcher.ts";

export interface RecoverParts extends WatchParts {
  readonly dispatcher: Pick<Dispatcher, "host">;
  readonly signal: AbortSignal;
}

/** By the watch's own credential, which has just been seen to work. */
export async function recoverContent(
  parts: RecoverParts,
  { id, watch: told, sync }: ClaimedDelivery,
): Promise<Recovery> {
  const { database, dispatcher, signal } = parts;
  if (told === null || sync === null) return "there";
  const watch = await findWatch(database.pool, told.id);
  if (watch === undefined) return "there"; // it is being removed
  const git = await parts.git();
  const remote = remoteOf(parts, watch.url);
  const commit = sync.to_commit as CommitId;
  if (await git.contents.hasCommit(remote, commit, signal)) return "there";
  const { access } = await accessOf(parts, watch);
  try {
    await git.mirrors.ensure(remote, { commit, ref: told.ref }, { ...access, signal });
  } catch (error) {
    // No ref leads to it any more; of anything else nobody knows whether it passes.
    if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
  }
  if (!(await git.contents.hasCommit(remote, commit, signal))) {
    await database.pool.query("select croft.drop_lost_deliveries($1)", [id]);
    return "lost";
  }
  const place = { repositoryId: watch.repository_id, remote };
  await keepCommit(parts, place, { kind: "sync", id: sync.id }, commit);
  await database.pool.query(
    "update croft.delivery set host = $2 where sync_id = $1 and state in ('pending', 'sending')",
    [sync.id, dispatcher.host],
  );
  return "restored";
}
