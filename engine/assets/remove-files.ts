// Removes files that were given up. However late a removal is carried out, it can only hit what nobody needs.
import type { Database } from "../database/open-database.ts";
import type { AssetStore, FailedRemoval } from "./asset-store.ts";
import type { FileKey } from "./file-key.ts";

/** So many at a time: a bucket far away takes a tenth of a second for each. */
const AT_ONCE = 8;
const BATCH = 50;
/** A process that ends waits for those that it has begun. */
const REMOVE_WITHIN_MS = 5000;
const MESSAGE_MAX = 500;

export interface RemovedFiles {
  /** Their hashes. */
  readonly removed: readonly string[];
  /** Those that failed and were not told of before. All that failed come again, later every time. */
  readonly failed: readonly FailedRemoval[];
}

export async function removeFiles(
  database: Database,
  store: Pick<AssetStore, "remove" | "placeOf">,
  isStopped: () => boolean,
): Promise<RemovedFiles> {
  const removed: string[] = [];
  const failed: FailedRemoval[] = [];
  while (!isStopped()) {
    const batch = await takeRemovals(database);
    const { gone, faults } = await removeBatch(store, batch, isStopped);
    await forgetRemovals(database, gone);
    removed.push(...gone.map(({ sha256 }) => sha256));
    for (const fault of await noteFailures(database, faults)) {
      failed.push({ place: store.placeOf(fault.key), error: fault.error });
    }
    if (batch.length < BATCH || gone.length === 0) break; // where all fail, the others would as well
  }
  return { removed, failed };
}

interface Fault {
  readonly key: FileKey;
  readonly error: Error;
}

async function removeBatch(
  store: Pick<AssetStore, "remove">,
  batch: readonly FileKey[],
  isStopped: () => boolean,
): Promise<{ gone: FileKey[]; faults: Fault[] }> {
  const left = [...batch];
  const gone: FileKey[] = [];
  const faults: Fault[] = [];
  const removeSome = async () => {
    for (let key = left.shift(); key !== undefined && !isStopped(); key = left.shift()) {
      try {
        await store.remove(key, AbortSignal.timeout(REMOVE_WITHIN_MS));
        gone.push(key);
      } catch (error) {
        faults.push({ key, error: error instanceof Error ? error : new Error(String(error)) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, removeSome));
  return { gone, faults };
}

/** Committed before the first of them is removed: from then on nobody finds these any more. */
async function takeRemovals({ pool }: Database): Promise<FileKey[]> {
  const { rows } = await pool.query<FileKey>(
    "select encode(sha256, 'hex') as sha256, generation from croft.take_asset_removals($1)",
    [BATCH],
  );
  return rows;
}

async function forgetRemovals({ pool }: Database, keys: readonly FileKey[]): Promise<void> {
  if (keys.length === 0) return;
  await pool.query(
    `delete from croft.asset_removal r using unnest($1::text[], $2::uuid[]) x(sha256, generation)
     where r.sha256 = decode(x.sha256, 'hex') and r.generation = x.generation`,
    columnsOf(keys),
  );
}

/** Returns those that are new. */
async function noteFailures({ pool }: Database, faults: readonly Fault[]): Promise<Fault[]> {
  if (faults.length === 0) return [];
  const messages = faults.map(({ error }) => error.message.slice(0, MESSAGE_MAX));
  const { rows } = await pool.query<{ generation: string }>(
    `update croft.asset_removal r set error = x.error
     from unnest($1::text[], $2::uuid[], $3::text[]) x(sha256, generation, error)
     where r.sha256 = decode(x.sha256, 'hex') and r.generation = x.generation and r.error is null
     returning r.generation`,
    [...columnsOf(faults.map(({ key }) => key)), messages],
  );
  const fresh = new Set(rows.map(({ generation }) => generation));
  return faults.filter(({ key }) => fresh.has(key.generation));
}

function columnsOf(keys: readonly FileKey[]): [string[], string[]] {
  return [keys.map(({ sha256 }) => sha256), keys.map(({ generation }) => generation)];
}
