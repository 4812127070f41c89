// Apps by their tokens: `croft_<id>_<secret>`, found by id, compared by digest.
import { timingSafeEqual } from "node:crypto";
import { digestOf, newSecret } from "../admin/secret.ts";
import type { Database } from "../database/open-database.ts";
import { newId } from "../new-id.ts";

export interface App {
  readonly id: string;
  readonly name: string;
}

/** An app, and the token that it showed. */
export interface KnownApp extends App {
  readonly tokenId: string;
}

const PATTERN = /^croft_([a-z0-9]{16})_([\w-]{43})$/;

/** The token is told once; the database keeps its digest. */
export async function createApp(
  { pool }: Database,
  name: string,
): Promise<{ readonly app: App; readonly token: string }> {
  const app = { id: newId(), name };
  const tokenId = newId().replaceAll("-", "").slice(-16);
  const secret = newSecret();
  await pool.query(
    `with made as (insert into croft.app (id, name) values ($1, $2) returning id)
     insert into croft.app_token (id, app_id, digest) select $3, id, $4 from made`,
    [app.id, name, tokenId, digestOf(secret)],
  );
  return { app, token: `croft_${tokenId}_${secret}` };
}

/** Equal work for a token that is wrong and for one that never was. */
export async function recogniseApp(
  { pool }: Database,
  token: string,
): Promise<KnownApp | undefined> {
  const [, tokenId, secret] = PATTERN.exec(token) ?? [];
  if (tokenId === undefined || secret === undefined) return undefined;
  const { rows } = await pool.query<App & { digest: Buffer }>({
    name: "recognise-app",
    text: `select a.id, a.name, t.digest from croft.app_token t join croft.app a on a.id = t.app_id
           where t.id = $1 and (t.expires_at is null or t.expires_at > croft.now())`,
    values: [tokenId],
  });
  const [row] = rows;
  const isRight = timingSafeEqual(digestOf(secret), row?.digest ?? Buffer.alloc(32));
  return row !== undefined && isRight ? { id: row.id, name: row.name, tokenId } : undefined;
}
