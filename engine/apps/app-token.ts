// Apps by their tokens: `croft_<id>_<secret>`, found by id, compared by digest.
import { timingSafeEqual } from "node:crypto";
import type { NewAppToken } from "@croft/contract";
import { digestOf, newSecret } from "../admin/secret.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { newId } from "../new-id.ts";
import { type KeyRow, keyOf, removeKey, retireKeys } from "./app-keys.ts";
import { tellApp, touchApp } from "./touch-app.ts";

export interface App {
  readonly id: string;
  readonly name: string;
}

/** An app, and the token that it showed. */
export interface KnownApp extends App {
  readonly tokenId: string;
}

const PATTERN = /^croft_([a-z0-9]{16})_([\w-]{43})$/;

/** With a name and nothing else: it asks, and is told nothing. */
export async function createApp(
  database: Database,
  name: string,
): Promise<{ readonly app: App; readonly token: string }> {
  return await inTransaction(database, async (client) => {
    const app = { id: newId(), name };
    await client.query("insert into croft.app (id, name) values ($1, $2)", [app.id, name]);
    const { token } = await addToken(client, app.id);
    return { app, token };
  });
}

/** The token is told once; the database keeps its digest. */
export async function addToken(client: Queryable, appId: string): Promise<NewAppToken> {
  const id = newId().replaceAll("-", "").slice(-16);
  const secret = newSecret();
  const { rows } = await client.query<KeyRow>(
    `insert into croft.app_token (id, app_id, digest) values ($1, $2, $3)
     returning id, created_at, expires_at`,
    [id, appId, digestOf(secret)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the token could not be written");
  return { ...keyOf(row), token: `croft_${id}_${secret}` };
}

/** The one before stays valid so long; one before that ends. */
export async function rotateToken(
  database: Database,
  appId: string,
  oldValidMs: number,
): Promise<NewAppToken> {
  return await inTransaction(database, async (client) => {
    const app = await touchApp(client, appId);
    await retireKeys(client, "app_token", appId, oldValidMs);
    const made = await addToken(client, appId);
    await tellApp(client, app, "app.changed", { token: made.id });
    return made;
  });
}

/** Also the last one: then nobody can ask in its name until it gets another. */
export async function revokeToken(database: Database, appId: string, id: string): Promise<void> {
  await inTransaction(database, async (client) => {
    const app = await touchApp(client, appId);
    await removeKey(client, "app_token", { appId, id });
    await tellApp(client, app, "app.changed", { revoked_token: id });
  });
}

/** Equal work for a token that is wrong and for one that never was. */
export async function recogniseApp(
  { pool }: Database,
  token: string,
): Promise<KnownApp | undefined> {
  const [, tokenId, secret] = PATTERN.exec(token) ?? [];
  if (tokenId === undefined || secret === undefined) return undefined;
  const { rows } = await pool.query<App & { digest: Buffer; is_news: boolean }>({
    name: "recognise-app",
    text: `select a.id, a.name, t.digest,
             coalesce(a.last_seen_at < croft.now() - interval '1 minute', true) as is_news
           from croft.app_token t join croft.app a on a.id = t.app_id
           where t.id = $1 and a.deleted_at is null and (t.expires_at is null or t.expires_at > croft.now())`,
    values: [tokenId],
  });
  const [row] = rows;
  const isRight = timingSafeEqual(digestOf(secret), row?.digest ?? Buffer.alloc(32));
  if (row === undefined || !isRight) return undefined;
  if (row.is_news) {
    await pool.query("update croft.app set last_seen_at = croft.now() where id = $1", [row.id]);
  }
  return { id: row.id, name: row.name, tokenId };
}
