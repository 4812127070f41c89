// What deliveries to an app are signed with: made, replaced while the old one still counts, and opened for the sender.
import { randomBytes } from "node:crypto";
import type { NewSigningSecret } from "@croft/contract";
import { type KeyRow, keyOf, listKeys, removeKey, retireKeys } from "../apps/app-keys.ts";
import { tellApp, touchApp } from "../apps/touch-app.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { CipherError, type EncryptionKey, type SealedPlace, seal } from "./cipher.ts";
import {
  onceMoreWithoutKey,
  type SealedRow,
  unsealRow,
  type Vault,
  withCurrentKey,
} from "./vault.ts";

export interface SigningSecretRow {
  readonly id: string;
  readonly app_id: string;
}

const SECRET_BYTES = 32;

/** In the caller's transaction, with the current key. It is told once. */
export async function addSigningSecret(
  client: Queryable,
  key: EncryptionKey,
  appId: string,
): Promise<NewSigningSecret> {
  const id = newId();
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  const { rows } = await client.query<KeyRow>(
    `insert into croft.signing_secret (id, app_id, key_id, ciphertext) values ($1, $2, $3, $4)
     returning id, created_at, expires_at`,
    [id, appId, key.id, seal(key, signingSecretPlace({ id, app_id: appId }), secret)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the signing secret could not be written");
  return { ...keyOf(row), signing_secret: secret };
}

/** The one before signs too for so long; one before that does no more. */
export async function rotateSigningSecret(
  vault: Vault,
  appId: string,
  oldValidMs: number,
): Promise<NewSigningSecret> {
  return await withCurrentKey(vault, async (client, key) => {
    const app = await touchApp(client, appId);
    await retireKeys(client, "signing_secret", appId, oldValidMs);
    const made = await addSigningSecret(client, key, appId);
    await tellApp(client, app, "app.changed", { signing_secret: made.id });
    return made;
  });
}

/** Not the last one: without any, nothing could be sent. */
export async function revokeSigningSecret(
  database: Database,
  appId: string,
  id: string,
): Promise<void> {
  await inTransaction(database, async (client) => {
    const app = await touchApp(client, appId);
    await removeKey(client, "signing_secret", { appId, id });
    if ((await listKeys(client, "signing_secret", appId)).length === 0) {
      const message = "it is the only signing secret: rotate it, and let the old one end at once";
      throw new EngineError("invalid-input", message);
    }
    await tellApp(client, app, "app.changed", { revoked_signing_secret: id });
  });
}

/**
 * All that are valid, newest first, for this moment's use: they belong in no row, log, event, error or command line. One that
 * cannot be read is passed over and told in the log, so that another can take its place.
 */
export async function openSigningSecrets(
  { database, keys, log }: Vault,
  appId: string,
): Promise<readonly string[]> {
  return await onceMoreWithoutKey(async () => {
    const { rows } = await database.pool.query<SigningSecretRow & SealedRow>({
      name: "open-signing-secrets",
      text: `select id, app_id, key_id, ciphertext from croft.signing_secret
             where app_id = $1 and (expires_at is null or expires_at > croft.now())
             order by created_at desc, id desc`,
      values: [appId],
    });
    const secrets: string[] = [];
    for (const row of rows) {
      try {
        secrets.push(await unsealRow(keys, signingSecretPlace(row), row));
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        log.warn({ err: error, app: appId }, "a signing secret is not used");
      }
    }
    return secrets;
  });
}

/** All that says what the value is. */
export function signingSecretPlace({ id, app_id }: SigningSecretRow): SealedPlace {
  return ["signing_secret", id, `app:${app_id}`];
}
