// Removes files that no asset has any more, and finds assets whose file is missing.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { AssetStore } from "./asset-store.ts";
import type { Assets } from "./assets.ts";

export interface AssetSweep {
  /** Files, by their hashes. */
  readonly removed: readonly string[];
  /** What dead writers left half made. */
  readonly unfinished: readonly string[];
}

/** Short transactions: each keeps writers of the same contents waiting. */
const BATCH = 50;

/**
 * What is due: claims that are over, and files whose last row was removed. A file goes inside the transaction that removes its
 * row: whoever wants to store the same contents meanwhile waits for that, and then brings their own; whoever records an
 * asset of it holds the row, and the sweep passes it by. A kill in between leaves a row without a file and without
 * assets, which the next sweep removes.
 */
export async function sweepAssets(assets: Assets, isStopped = () => false): Promise<AssetSweep> {
  const store = await assets.ownStore();
  if (store === undefined) return { removed: [], unfinished: [] };
  const removed: string[] = [];
  for (;;) {
    const { seen, gone } = await inTransaction(assets.database, (client) =>
      sweepDue(client, store),
    );
    removed.push(...gone);
    if (seen < BATCH || isStopped()) break;
  }
  const unfinished = await store.sweepStaging();
  for (const path of unfinished) assets.log.info({ path }, "an unfinished file was removed");
  return { removed, unfinished };
}

async function sweepDue(client: Queryable, store: AssetStore) {
  const { rows } = await client.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from croft.asset_file where due_at <= croft.now()
     order by due_at limit ${BATCH} for update skip locked`,
  );
  const due = rows.map(({ sha256 }) => sha256);
  const unused = await findUnused(client, due);
  await client.query(
    "update croft.asset_file set due_at = null where sha256 in (select decode(x, 'hex') from unnest($1::text[]) x)",
    [due.filter((sha256) => !unused.includes(sha256))],
  );
  for (const sha256 of unused) await store.remove(sha256);
  // Last: it takes the count of all bytes, which everybody who stores something needs.
  await client.query(
    "delete from croft.asset_file where sha256 in (select decode(x, 'hex') from unnest($1::text[]) x)",
    [unused],
  );
  return { seen: due.length, gone: unused };
}

/** Another statement than the one that locked: it sees every asset that was recorded before. */
async function findUnused(client: Queryable, hashes: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from croft.asset_file f
     where sha256 in (select decode(x, 'hex') from unnest($1::text[]) x)
       and not exists (select from croft.asset a where a.sha256 = f.sha256)`,
    [hashes],
  );
  return rows.map(({ sha256 }) => sha256);
}

export interface AssetCheck {
  /** Files that no row knows: of a database that was restored from a copy, say. They are removed. */
  readonly unknown: readonly string[];
  /** Rows without a file: nothing can be done but to tell. */
  readonly missing: readonly string[];
}

/** Compares all files with all rows, a 256th at a time. */
export async function checkAssets(assets: Assets, isStopped = () => false): Promise<AssetCheck> {
  const unknown: string[] = [];
  const missing: string[] = [];
  const store = await assets.ownStore();
  for (let number = 0; store !== undefined && number < 256 && !isStopped(); number++) {
    const prefix = number.toString(16).padStart(2, "0");
    const known = await readKnown(assets, number);
    const files = new Set(await store.list(prefix));
    for (const { sha256, isUsed } of known) {
      // Looked at once more: it may have gone, or come, between the two lists.
      if (isUsed && !files.has(sha256) && (await isLost(assets, store, sha256)))
        missing.push(sha256);
      files.delete(sha256);
    }
    for (const sha256 of files) {
      if (await removeUnknown(assets, store, sha256)) unknown.push(sha256);
    }
  }
  for (const sha256 of missing) assets.log.error({ sha256 }, "the file of an asset is lost");
  for (const sha256 of unknown) assets.log.warn({ sha256 }, "a file without an asset was removed");
  return { unknown, missing };
}

/** All that begin with this byte. */
async function readKnown({ database }: Assets, byte: number) {
  const { rows } = await database.pool.query<{ sha256: string; isUsed: boolean }>(
    `select encode(f.sha256, 'hex') as sha256,
       exists (select from croft.asset a where a.sha256 = f.sha256) as "isUsed"
     from croft.asset_file f
     where sha256 >= $1 and ($2::bytea is null or sha256 < $2)`,
    [Buffer.of(byte), byte === 255 ? null : Buffer.of(byte + 1)],
  );
  return rows;
}

async function isLost({ database }: Assets, store: AssetStore, sha256: string): Promise<boolean> {
  const { rows } = await database.pool.query<{ bytes: string }>(
    `select bytes from croft.asset_file f where sha256 = decode($1, 'hex')
       and exists (select from croft.asset a where a.sha256 = f.sha256)`,
    [sha256],
  );
  const [row] = rows;
  if (row === undefined) return false;
  const opened = await store.open(sha256, Number(row.bytes));
  await opened?.close();
  return opened === undefined;
}

/** With a row of its own as a lock: who wants to store the same contents waits until the file has gone. */
async function removeUnknown(
  { database }: Assets,
  store: AssetStore,
  sha256: string,
): Promise<boolean> {
  return await inTransaction(database, async (client) => {
    const { rowCount } = await client.query(
      "insert into croft.asset_file (sha256, bytes) values (decode($1, 'hex'), 0) on conflict do nothing",
      [sha256],
    );
    if (rowCount !== 1) return false; // somebody has stored it meanwhile
    await store.remove(sha256);
    await client.query("delete from croft.asset_file where sha256 = decode($1, 'hex')", [sha256]);
    return true;
  });
}
