// Removes files that nobody needs any more.
import type { Assets } from "./assets.ts";
import { claimedOf } from "./claim-file.ts";
import { removeFiles } from "./remove-files.ts";
import { isOwner } from "./store-owner.ts";
import { tellFailed } from "./tell-failed.ts";

export interface AssetSweep {
  /** Files, by their hashes. */
  readonly removed: readonly string[];
  /** What dead writers left half made. */
  readonly unfinished: readonly string[];
}

/** Short transactions: each keeps writers of the same contents waiting. */
const BATCH = 500;

/**
 *   needed ──▶ given up ──▶ removed
 *
 * A file is given up when no asset has it and no claim is left, in a transaction of the database alone; then nobody finds it
 * any more, and who stores the same contents makes another. Only after that is it removed: killed in between, or stopped for
 * however long, a sweep can take away nothing but what was given up. A database that is not the store's owner removes nothing:
 * the owner may have the same file in use.
 */
export async function sweepAssets(assets: Assets, isStopped = () => false): Promise<AssetSweep> {
  const { database, log } = assets;
  const store = await assets.ownStore();
  if (store === undefined) return { removed: [], unfinished: [] };
  await batches(assets, "croft.end_idle_asset_claims", isStopped);
  await batches(assets, "croft.give_up_asset_files", isStopped);
  if (!(await isOwner(database, store.mark))) return { removed: [], unfinished: [] };
  const { removed, failed } = await removeFiles(database, store, isStopped);
  tellFailed(log, failed);
  const { removed: unfinished, failed: left } = await store.sweepStaging((files) =>
    claimedOf(database.pool, files),
  );
  tellFailed(log, left);
  for (const path of unfinished) log.info({ path }, "an unfinished file was removed");
  return { removed, unfinished };
}

async function batches(
  { database }: Assets,
  step: "croft.end_idle_asset_claims" | "croft.give_up_asset_files",
  isStopped: () => boolean,
): Promise<void> {
  for (let isMore = true; isMore && !isStopped(); ) {
    const { rows } = await database.pool.query<{ more: boolean }>(`select ${step}($1) as more`, [
      BATCH,
    ]);
    isMore = rows[0]?.more === true;
  }
}
