// Tokens and signing secrets of an app, as far as they are alike: two valid at a time, while one takes the other's place.
import type { AppKey } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";

export type KeyTable = "app_token" | "signing_secret";

export interface KeyRow {
  readonly id: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const IS_VALID = "(expires_at is null or expires_at > croft.now())";

/** Valid ones, newest first. */
export async function listKeys(
  client: Queryable,
  table: KeyTable,
  appId: string,
): Promise<AppKey[]> {
  const { rows } = await client.query<KeyRow>(
    `select id, created_at, expires_at from croft.${table} where app_id = $1 and ${IS_VALID}
     order by created_at desc, id desc`,
    [appId],
  );
  return rows.map(keyOf);
}

/** Before another comes: the newest stays valid so long at the most, all others go. */
export async function retireKeys(
  client: Queryable,
  table: KeyTable,
  appId: string,
  validMs: number,
): Promise<void> {
  const [newest] = validMs === 0 ? [] : await listKeys(client, table, appId);
  await client.query(
    `delete from croft.${table} where app_id = $1 and id::text is distinct from $2`,
    [...[appId, newest?.id ?? null]],
  );
  await client.query(
    `update croft.${table} set
       expires_at = least(expires_at, croft.now() + make_interval(secs => $2::float8 / 1000))
     where app_id = $1`,
    [appId, validMs],
  );
}

/** It counts no more from then on. */
export async function removeKey(
  client: Queryable,
  table: KeyTable,
  { appId, id }: { readonly appId: string; readonly id: string },
): Promise<void> {
  const { rowCount } = await client.query(
    `delete from croft.${table} where app_id = $1 and id::text = $2 and ${IS_VALID}`,
    [appId, id],
  );
  if (rowCount === 0) throw new EngineError("not-found", "the app has no such key");
}

export function keyOf({ id, created_at, expires_at }: KeyRow): AppKey {
  return {
    id,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
  };
}
