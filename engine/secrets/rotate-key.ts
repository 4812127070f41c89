// Another key for everything that is stored: a new current one at once, then the values, a part at a time.
import type { EncryptionKeys } from "@croft/contract";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { CipherError, type SealedPlace, seal } from "./cipher.ts";
import { type CredentialRow, credentialPlace } from "./credential-store.ts";
import { type SecretRow, secretPlace } from "./secret-store.ts";
import { type SigningSecretRow, signingSecretPlace } from "./signing-secret-store.ts";
import {
  holdKeys,
  KEY_IS_USED,
  readCurrentId,
  SEALED_TABLES,
  type SealedRow,
  unsealRow,
  type Vault,
  withCurrentKey,
} from "./vault.ts";

/** Short transactions: a long one would hold back readers of events. */
const BATCH = 100;

type SealedTable = (typeof SEALED_TABLES)[number];

/** Each row binds its value to itself in its own way. */
const PLACES: Record<SealedTable, (row: SealedRow) => SealedPlace> = {
  secret: (row) => secretPlace(row as SealedRow & SecretRow),
  credential: (row) => credentialPlace(row as SealedRow & CredentialRow),
  signing_secret: (row) => signingSecretPlace(row as SealedRow & SigningSecretRow),
};

/** As SQL, of a key `k`. */
const VALUES_OF_KEY = SEALED_TABLES.map(
  (table) => `(select count(*) from croft.${table} where key_id = k.id)`,
).join(" + ");

/**
 * From here on new values have the new key. In a file of ours the key is made; in the operator's it must stand already, at
 * the end. A process that dies between file and database leaves a key that the next rotation takes.
 */
export async function rotateKey({ database, keys }: Vault): Promise<void> {
  await inTransaction(database, async (client) => {
    await holdKeys(client);
    const currentId = await readCurrentId(client);
    const newest = await keys.provideNewest();
    if (currentId === undefined) {
      await client.query(INSERT_CURRENT, [newest.id]); // nothing is stored yet: that is the first one
      return;
    }
    await keys.require(currentId);
    const isUsed = newest.id === currentId || (await isKnown(client, newest.id));
    if (isUsed && !keys.isManaged) {
      throw new EngineError(
        "invalid-input",
        "the file of encryption keys (secrets.keyFile) has no new key: add a line ('openssl rand -base64 32') at its end, on every host, and rotate again",
      );
    }
    const { id } = isUsed ? await keys.add() : newest;
    await client.query("update croft.encryption_key set is_current = false where is_current");
    await client.query(INSERT_CURRENT, [id]);
  });
}

const INSERT_CURRENT = "insert into croft.encryption_key (id, is_current) values ($1, true)";

async function isKnown(client: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await client.query("select from croft.encryption_key where id = $1", [id]);
  return rowCount === 1;
}

/**
 * Goes on with a rotation, wherever the last one that did was stopped; nothing to do is the usual case. Then forgets the
 * keys that no value has any more.
 */
export async function finishRotation(vault: Vault, isStopped = () => false): Promise<void> {
  const { database, log } = vault;
  const { rowCount } = await database.pool.query(
    "select from croft.encryption_key where not is_current",
  );
  if (rowCount === 0) return;
  for (const table of SEALED_TABLES) {
    let after: string | undefined;
    do {
      if (isStopped()) return;
      after = await encryptBatch(vault, table, after);
    } while (after !== undefined);
  }
  const ids = await forgetKeys(vault);
  if (ids.length > 0) log.info({ keys: ids }, "encryption keys without values were forgotten");
}

export async function readKeys({ database, keys }: Vault): Promise<EncryptionKeys> {
  const { rows } = await database.pool.query<{
    id: string;
    is_current: boolean;
    created_at: Date;
    values: number;
  }>(
    `select id, is_current, created_at, (${VALUES_OF_KEY})::int as values
     from croft.encryption_key k order by is_current desc, created_at desc, id`,
  );
  return {
    keys: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
    file: keys.isManaged ? "managed" : "operator",
  };
}

/** Returns where the next one begins; a value that cannot be decrypted stays as it is, and so does its key. */
async function encryptBatch(
  vault: Vault,
  table: SealedTable,
  after: string | undefined,
): Promise<string | undefined> {
  return await withCurrentKey(vault, async (client, key) => {
    const { rows } = await client.query<SealedRow & { id: string }>(
      `select * from croft.${table} where key_id <> $1 and ($2::uuid is null or id > $2)
       order by id limit ${BATCH} for update`,
      [key.id, after ?? null],
    );
    for (const row of rows) {
      const place = PLACES[table](row);
      try {
        const sealed = seal(key, place, await unsealRow(vault.keys, place, row));
        await client.query(`update croft.${table} set key_id = $2, ciphertext = $3 where id = $1`, [
          row.id,
          key.id,
          sealed,
        ]);
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        vault.log.warn({ err: error }, "a value keeps its old key");
      }
    }
    return rows.length === BATCH ? rows.at(-1)?.id : undefined;
  });
}

/** In the file last: should the rest fail, a key without values stays in the database, which harms nobody. */
async function forgetKeys({ database, keys }: Vault): Promise<readonly string[]> {
  return await inTransaction(database, async (client) => {
    await holdKeys(client);
    const { rows } = await client.query<{ id: string }>(
      `delete from croft.encryption_key k where not is_current and not (${KEY_IS_USED}) returning id`,
    );
    const ids = rows.map(({ id }) => id);
    if (keys.isManaged && ids.length > 0) await keys.drop(ids);
    return ids;
  });
}
