// Secrets of an owner: set, listed without their values, removed, and opened for the step that names them.
import type { Secret, SecretList, SecretQuery } from "@croft/contract";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { type SealedPlace, seal } from "./cipher.ts";
import { tellVault } from "./tell-vault.ts";
import {
  onceMoreWithoutKey,
  type SealedRow,
  unsealRow,
  type Vault,
  withCurrentKey,
} from "./vault.ts";

export interface SecretRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly seq: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_used_at: Date | null;
}

const COLUMNS = "id, owner, name, seq, created_at, updated_at, last_used_at";
/** One owner's: enough for every use, too few to fill the database with. */
const SECRETS_MAX = 1000;

/** Replaces the value of this name, if there is one. */
export async function putSecret(
  vault: Vault,
  owner: string,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<Secret> {
  return await withCurrentKey(vault, async (client, key) => {
    const id = await provideRow(client, owner, name, key.id);
    const { rows } = await client.query<SecretRow>(
      `update croft.secret set ciphertext = $2, key_id = $3, seq = seq + 1, updated_at = croft.now()
       where id = $1 returning ${COLUMNS}`,
      [id, seal(key, secretPlace({ id, owner, name }), value), key.id],
    );
    const row = requireRow(rows);
    await tellVault(client, row, "secret.changed", { name });
    return secretOf(row);
  });
}

/** Names and times. The cursor is the last id of the page before. */
export async function listSecrets(
  { pool }: Database,
  scope: Scope,
  { owner, cursor, limit }: SecretQuery,
): Promise<SecretList> {
  const { rows } = await pool.query<SecretRow>(
    `select ${COLUMNS} from croft.secret
     where ($1::text is null or owner = $1) and ($2::text is null or owner = $2) and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [scope.owner ?? null, owner ?? null, cursor ?? null, limit + 1],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { secrets: rows.slice(0, limit).map(secretOf), next_cursor: last?.id ?? null };
}

/** A foreign one is not there: nobody learns that it exists. */
export async function removeSecret(
  database: Database,
  scope: Scope,
  { owner, name }: { readonly owner: string; readonly name: string },
): Promise<void> {
  await inTransaction(database, async (client) => {
    const { rows } = await client.query<SecretRow>(
      `delete from croft.secret where owner = $1 and name = $2 and ($3::text is null or owner = $3)
       returning ${COLUMNS}`,
      [owner, name, scope.owner ?? null],
    );
    const row = requireRow(rows);
    await tellVault(client, { ...row, seq: row.seq + 1 }, "secret.removed", { name });
  });
}

/** Some of the names have no secret: `details.names` lists them. */
export class UnknownSecrets extends Error {
  override readonly name = "UnknownSecrets";
  readonly code = "unknown-secrets";
  readonly details: { readonly names: readonly string[] };

  constructor(names: readonly string[]) {
    const quoted = names.map((name) => `'${name}'`).join(", ");
    super(`there is no secret ${quoted}: set it with 'croft secrets set'`);
    this.details = { names };
  }
}

/** The values, for this moment's use: they belong in no row, log, event, error or command line. */
export async function openSecrets(
  { database, keys }: Pick<Vault, "database" | "keys">,
  owner: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  return await onceMoreWithoutKey(async () => {
    const { rows } = await database.pool.query<SecretRow & SealedRow>(
      `select ${COLUMNS}, key_id, ciphertext from croft.secret where owner = $1 and name = any ($2)`,
      [owner, names],
    );
    const found = new Map(rows.map((row) => [row.name, row]));
    const unknown = [...new Set(names)].filter((name) => !found.has(name));
    if (unknown.length > 0) throw new UnknownSecrets(unknown);
    const values = new Map<string, string>();
    for (const [name, row] of found) {
      values.set(name, await unsealRow(keys, secretPlace(row), row));
    }
    await database.pool.query(
      `update croft.secret set last_used_at = croft.now()
       where id = any ($1) and (last_used_at is null or last_used_at < croft.now() - interval '1 minute')`,
      [rows.map(({ id }) => id)],
    );
    return values;
  });
}

/** All that says what the value is. */
export function secretPlace({
  id,
  owner,
  name,
}: Pick<SecretRow, "id" | "owner" | "name">): SealedPlace {
  return ["secret", id, owner, name];
}

/** Its id is a part of what is sealed, so it must be known before: the row is made first, or found and held. */
async function provideRow(
  client: Queryable,
  owner: string,
  name: string,
  keyId: string,
): Promise<string> {
  const { rows: counted } = await client.query<{ count: number }>(
    "select count(*)::int as count from croft.secret where owner = $1 and name <> $2",
    [owner, name],
  );
  if ((counted[0]?.count ?? 0) >= SECRETS_MAX) {
    throw new EngineError("invalid-input", `an owner may have ${SECRETS_MAX} secrets: remove some`);
  }
  const { rows } = await client.query<{ id: string }>(
    `insert into croft.secret (id, owner, name, key_id, ciphertext) values ($1, $2, $3, $4, '')
     on conflict (owner, name) do update set key_id = excluded.key_id returning id`,
    [newId(), owner, name, keyId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the secret could not be written");
  return row.id;
}

function requireRow([row]: readonly SecretRow[]): SecretRow {
  if (row === undefined) throw new EngineError("not-found", "there is no such secret");
  return row;
}

function secretOf(row: SecretRow): Secret {
  const { owner, name } = row;
  return {
    ...{ owner, name },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
