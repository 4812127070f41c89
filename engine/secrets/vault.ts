// Where values are encrypted and decrypted: the database that has them, and the keys that it does not have.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Log } from "../log.ts";
import { type EncryptionKey, type SealedPlace, unseal } from "./cipher.ts";
import type { KeyRing } from "./key-ring.ts";

export interface Vault {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly log: Log;
}

/** Where values lie: each of these tables has `id`, `key_id` and `ciphertext`. */
export const SEALED_TABLES = ["secret", "credential", "signing_secret"] as const;

/** As SQL, of a key `k`: whether any value has it. */
export const KEY_IS_USED = SEALED_TABLES.map(
  (table) => `exists (select from croft.${table} where key_id = k.id)`,
).join(" or ");

/** Any number that no other lock of ours has. */
const LOCK_KEY = 727_563_821;

/** Alone with the keys: nobody encrypts, nobody else changes which is the current one. */
export async function holdKeys(client: Queryable): Promise<void> {
  await client.query("select pg_advisory_xact_lock($1)", [LOCK_KEY]);
}

/** A transaction that writes values with the current key; it stays the current one to the end of it. */
export async function withCurrentKey<T>(
  { database, keys }: Pick<Vault, "database" | "keys">,
  work: (client: Queryable, key: EncryptionKey) => Promise<T>,
): Promise<T> {
  const hasKey = (await readCurrentId(database.pool)) !== undefined;
  if (!hasKey) await registerFirstKey({ database, keys });
  return await inTransaction(database, async (client) => {
    await client.query("select pg_advisory_xact_lock_shared($1)", [LOCK_KEY]);
    const id = await readCurrentId(client);
    if (id === undefined) throw new Error("there is no current encryption key");
    return await work(client, await keys.require(id));
  });
}

export async function readCurrentId(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    "select id from croft.encryption_key where is_current",
  );
  return rows[0]?.id;
}

/** A row as far as it has something to decrypt. */
export interface SealedRow {
  readonly key_id: string;
  readonly ciphertext: Buffer;
}

export async function unsealRow(
  keys: KeyRing,
  place: SealedPlace,
  { key_id, ciphertext }: SealedRow,
): Promise<string> {
  return unseal(await keys.require(key_id), place, ciphertext);
}

/** A rotation may end between the reading of a row and that of its key: the row has another one then. */
export async function onceMoreWithoutKey<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "secret-key-missing") throw error;
    return await read();
  }
}

/**
 * At a start: a process that could not decrypt what is stored, or not encrypt for the others, ends with the reason
 * instead of failing jobs later. Before the first value there is no key, and nothing to ask for.
 */
export async function requireKeys({ database, keys }: Pick<Vault, "database" | "keys">) {
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from croft.encryption_key k
     where is_current or ${KEY_IS_USED}
     order by created_at, id`,
  );
  if (rows.length === 0) return;
  const known = new Set((await keys.read()).map(({ id }) => id));
  const missing = rows.map(({ id }) => id).filter((id) => !known.has(id));
  if (missing.length > 0) throw keys.missing(missing);
}

async function registerFirstKey({ database, keys }: Pick<Vault, "database" | "keys">) {
  await inTransaction(database, async (client) => {
    await holdKeys(client);
    if ((await readCurrentId(client)) !== undefined) return; // somebody was faster
    const { id } = await keys.provideNewest();
    await client.query("insert into croft.encryption_key (id, is_current) values ($1, true)", [id]);
  });
}
