// Proves that the store of this host is the one whose files the database's rows mean.
import { randomUUID } from "node:crypto";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Log } from "../log.ts";
import { AssetError } from "./asset-error.ts";
import type { StoreMark } from "./asset-store.ts";
import { markOwner } from "./store-owner.ts";

/** Any number that no other lock of ours has. */
const LOCK_KEY = 727_563_822;

/** Undefined as long as nothing was ever stored. */
export async function readStoreId(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>("select id from croft.asset_store");
  return rows[0]?.id;
}

/** The first that something is stored in becomes the store. One at a time: not every store can refuse a second mark. */
export async function claimStore(database: Database, mark: StoreMark): Promise<void> {
  const known = await readStoreId(database.pool);
  if (known === undefined) {
    await inTransaction(database, async (client) => {
      await client.query("select pg_advisory_xact_lock($1)", [LOCK_KEY]);
      if ((await readStoreId(client)) !== undefined) return;
      const id = await mark.provide("store-id", randomUUID());
      await markOwner(client, mark);
      await client.query("insert into croft.asset_store (id) values ($1)", [id]);
    });
  }
  if (!(await isStore(database, mark))) {
    throw new AssetError("store-elsewhere", elsewhere(mark, await readStoreId(database.pool)));
  }
}

/**
 * Before anything runs: jobs of others would fail here that keep files. A bucket that does not answer at the moment may well be
 * the store, and is asked again when it is needed.
 */
export async function requireStore({ pool }: Database, mark: StoreMark, log: Log): Promise<void> {
  const known = await readStoreId(pool);
  if (known === undefined) return;
  try {
    if (known === (await mark.read("store-id"))) return;
  } catch (error) {
    if (!(error instanceof AssetError && error.code === "unreachable")) throw error;
    log.warn(
      { err: error },
      "the store of assets does not answer: nobody knows whether it is ours",
    );
    return;
  }
  throw new EngineError("assets-elsewhere", elsewhere(mark, known));
}

/** Of two hosts that began with nothing stored, one finds out later. False where nothing is stored yet. */
export async function tellElsewhere({ pool }: Database, mark: StoreMark, log: Log) {
  const known = await readStoreId(pool);
  if (known === undefined) return false;
  log.error({}, `jobs that keep files fail on this host: ${elsewhere(mark, known)}`);
  return true;
}

function elsewhere({ place, wayOut }: StoreMark, known: string | undefined): string {
  return `'${place}' is not where the assets of this database are kept (the store has ${known} in its 'store-id'): ${wayOut}`;
}

export async function isStore({ pool }: Database, mark: StoreMark): Promise<boolean> {
  const known = await readStoreId(pool);
  return known !== undefined && known === (await mark.read("store-id"));
}
