// One watch from what its app was told to what is there now: found in the mirror, written as deliveries.
import type { FileChange, Git, RemoteAccess, RemoteUrl, Tip } from "@croft/git";
import { type DeliveryFile, encodedPath } from "../deliveries/delivery-files.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { keepCommit } from "./release-kept.ts";
import { remoteOf, type WatchParts } from "./watch-access.ts";
import type { WatchRow } from "./watch-rows.ts";
import { SyncWriter } from "./write-sync.ts";

export interface SyncParts extends WatchParts {
  readonly dispatcher: Pick<Dispatcher, "host">;
  /** Under which the repository was taken to be polled: the process may have another name by now. */
  readonly dispatcherId: string;
  readonly signal: AbortSignal;
}

export async function syncWatch(
  parts: SyncParts,
  watch: WatchRow,
  { tip, access }: { readonly tip: Tip; readonly access: RemoteAccess },
): Promise<void> {
  const { database, dispatcher, dispatcherId, config } = parts;
  const remote = remoteOf(parts, watch.url);
  const git = await parts.git();
  const { commit } = await git.mirrors.ensure(remote, tip, access);
  const from = await knownCommit(git, remote, watch);
  const writer = new SyncWriter(database, {
    ...{ watch, dispatcherId, host: dispatcher.host, to: { commit, ref: tip.ref } },
    ...{ isResync: watch.wants_resync, filesMax: config.deliveries.files },
    // Also when somebody has asked for it: what they have may be wrong in any way, and only so becomes what is there.
    isReset: watch.told_commit !== null && from === undefined,
  });
  const place = { repositoryId: watch.repository_id, remote };
  await keepCommit(parts, place, { kind: "sync", id: writer.id }, commit); // before anybody can know of it
  await writer.begin();
  try {
    const view = { commit, filters: { include: watch.include, exclude: watch.exclude } };
    const changes = git.contents.changes(remote, { from, to: view, signal: parts.signal });
    await writeAll(writer, changes);
    if (await writer.finish())
      await keepCommit(parts, place, { kind: "watch", id: watch.id }, commit);
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** What its app has, if this mirror still knows that commit and it is not to be sent anew. */
async function knownCommit(git: Git, remote: RemoteUrl, watch: WatchRow) {
  const { told_commit: told, told_include, told_exclude, wants_resync } = watch;
  if (told === null || wants_resync) return undefined;
  const commit = told as Tip["commit"];
  if (!(await git.contents.hasCommit(remote, commit))) return undefined;
  return { commit, filters: { include: told_include ?? [], exclude: told_exclude ?? [] } };
}

/** Deletions come first. */
async function writeAll(writer: SyncWriter, changes: AsyncIterable<FileChange>): Promise<void> {
  let isDeleting = true;
  for await (const change of changes) {
    if (isDeleting && change.change !== "deleted") {
      await writer.endDeletions();
      isDeleting = false;
    }
    await writer.add(fileOf(change));
  }
}

function fileOf(change: FileChange): DeliveryFile {
  const own = encodedPath(change.path);
  const path = { path: own.text, ...(own.isBase64 ? { path_encoding: "base64" as const } : {}) };
  if (change.change === "deleted") return { ...path, change: "deleted" };
  const { mode, blob, size, previousPath } = change;
  const previous = previousPath === undefined ? undefined : encodedPath(previousPath);
  return {
    ...path,
    ...(previous === undefined ? {} : { previous_path: previous.text }),
    ...(previous?.isBase64 === true ? { previous_path_encoding: "base64" as const } : {}),
    ...{ change: change.change, mode, blob, size },
  };
}
