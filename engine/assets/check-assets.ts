// Compares all files with all rows: none may be without the other.
import type { AssetStore } from "./asset-store.ts";
import type { Assets } from "./assets.ts";
import { type FileKey, fileName } from "./file-key.ts";
import { removeFiles } from "./remove-files.ts";
import { isOwner, tellOwner } from "./store-owner.ts";
import { tellFailed } from "./tell-failed.ts";

export interface AssetCheck {
  /**
   * Hashes of files that no row knows: of a database that was restored from a copy, of a writer that was stopped for long. They
   * are removed if the store is this database's own, and otherwise only told.
   */
  readonly unknown: readonly string[];
  /** Hashes of assets without their file: nothing can be done but to tell. */
  readonly missing: readonly string[];
}

/** Then it is the store that does not answer, not one of its parts. */
const FAILURES_MAX = 3;

/** A 256th at a time. A part that cannot be read keeps no other from being compared; it is thrown at the end. */
export async function checkAssets(assets: Assets, isStopped = () => false): Promise<AssetCheck> {
  const { log, database } = assets;
  const unknown: string[] = [];
  const missing: string[] = [];
  const failures: unknown[] = [];
  const store = await assets.ownStore();
  if (store === undefined) return { unknown, missing };
  const isOurs = await isOwner(database, store.mark);
  const lookUp = isOurs ? giveUpUnknown : onlyUnknown;
  for (let byte = 0; byte < 256 && !isStopped() && failures.length < FAILURES_MAX; byte++) {
    try {
      const found = await checkPart(assets, store, byte, lookUp);
      unknown.push(...found.unknown);
      missing.push(...found.missing);
    } catch (error) {
      failures.push(error);
    }
  }
  for (const sha256 of missing) log.error({ sha256 }, "the file of an asset is lost");
  if (!isOurs) {
    log.warn({ unknown: unknown.length }, await tellOwner(database, store.mark));
  } else if (unknown.length > 0) {
    for (const sha256 of unknown) log.warn({ sha256 }, "a file without an asset is removed");
    tellFailed(log, (await removeFiles(database, store, isStopped)).failed);
  }
  if (failures.length > 0) throw failures[0];
  return { unknown, missing };
}

/** Of these files the hashes of those that no row knows. */
type LookUp = (assets: Assets, files: readonly FileKey[]) => Promise<string[]>;

/** All that begin with this byte. */
async function checkPart(
  assets: Assets,
  store: AssetStore,
  byte: number,
  lookUp: LookUp,
): Promise<AssetCheck> {
  const known = await readKnown(assets, byte);
  const files = new Map<string, FileKey>();
  for (const key of await store.list(byte.toString(16).padStart(2, "0"))) {
    files.set(fileName(key), key);
  }
  const missing: string[] = [];
  for (const { isUsed, ...key } of known) {
    // Looked at once more: it may have gone, or come, between the two lists.
    if (isUsed && !files.has(fileName(key)) && (await isLost(assets, store, key))) {
      missing.push(key.sha256);
    }
    files.delete(fileName(key));
  }
  return { missing, unknown: await lookUp(assets, [...files.values()]) };
}

async function readKnown({ database }: Assets, byte: number) {
  const { rows } = await database.pool.query<FileKey & { isUsed: boolean }>(
    `select encode(sha256, 'hex') as sha256, generation, "isUsed"
     from (
       select sha256, generation, exists (select from croft.asset a where a.sha256 = f.sha256) as "isUsed"
       from croft.asset_file f
       union all
       select sha256, generation, false from croft.asset_removal
     ) known
     where sha256 >= $1 and ($2::bytea is null or sha256 < $2)`,
    [Buffer.of(byte), byte === 255 ? null : Buffer.of(byte + 1)],
  );
  return rows;
}

async function isLost({ database }: Assets, store: AssetStore, key: FileKey): Promise<boolean> {
  const { rows } = await database.pool.query<{ bytes: string }>(
    `select bytes from croft.asset_file f where sha256 = decode($1, 'hex') and generation = $2
       and exists (select from croft.asset a where a.sha256 = f.sha256)`,
    [key.sha256, key.generation],
  );
  const [row] = rows;
  if (row === undefined) return false;
  const opened = await store.open(key, Number(row.bytes));
  await opened?.close();
  return opened === undefined;
}

/** As they are known, but left alone: another database may have rows for them. */
async function onlyUnknown({ database }: Assets, files: readonly FileKey[]): Promise<string[]> {
  if (files.length === 0) return [];
  const { rows } = await database.pool.query<{ sha256: string }>(
    `select x.sha256 from unnest($1::text[], $2::uuid[]) x(sha256, generation)
     where not exists (select from croft.asset_file f
       where f.sha256 = decode(x.sha256, 'hex') and f.generation = x.generation)`,
    [files.map(({ sha256 }) => sha256), files.map(({ generation }) => generation)],
  );
  return rows.map(({ sha256 }) => sha256);
}

/**
 * Asked once more, now that they have been seen: a row is there before its file and its generation is used once, so a file that
 * has none now will never have one. They were in no sum of bytes, and are in none until they are gone.
 */
async function giveUpUnknown({ database }: Assets, files: readonly FileKey[]): Promise<string[]> {
  if (files.length === 0) return [];
  const { rows } = await database.pool.query<{ sha256: string }>(
    `insert into croft.asset_removal (sha256, generation, bytes)
     select decode(x.sha256, 'hex'), x.generation, 0 from unnest($1::text[], $2::uuid[]) x(sha256, generation)
     where not exists (select from croft.asset_file f
       where f.sha256 = decode(x.sha256, 'hex') and f.generation = x.generation)
     on conflict do nothing
     returning encode(sha256, 'hex') as sha256`,
    [files.map(({ sha256 }) => sha256), files.map(({ generation }) => generation)],
  );
  return rows.map(({ sha256 }) => sha256);
}
