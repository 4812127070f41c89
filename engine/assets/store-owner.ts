// Which database may remove files from the store: of two that have one, the copy does not know what the other has stored since.
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import type { StoreMark } from "./asset-store.ts";

/** With the store, by the first that stores something in it. */
export async function markOwner(client: Queryable, mark: StoreMark): Promise<void> {
  const self = await readDatabaseId(client);
  if (self !== undefined) await mark.provide("store-owner", self);
}

/** In doubt nobody is: what is kept for nothing takes room, what is removed is gone. */
export async function isOwner({ pool }: Database, mark: StoreMark): Promise<boolean> {
  const self = await readDatabaseId(pool);
  return self !== undefined && self === (await mark.read("store-owner"));
}

/** Why nothing is removed, and how that is changed. */
export async function tellOwner({ pool }: Database, mark: StoreMark): Promise<string> {
  const [self, owner] = [await readDatabaseId(pool), await mark.read("store-owner")];
  const whose =
    owner === undefined
      ? `it has no 'store-owner'`
      : `its 'store-owner' names another database: ${owner}`;
  const why = `no file is removed from '${mark.place}', because ${whose}`;
  if (self === undefined) return `${why}; and this one does not say which one it is`;
  return `${why}. If no other database uses this store any more, write '${self}' into 'store-owner'; a copy needs a store of its own`;
}

/** Differs after a restore and a fail-over. Undefined where the provider does not let anybody ask. */
async function readDatabaseId(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>("select croft.cluster() as id");
  const id = rows[0]?.id;
  return id?.includes("/") ? id : undefined;
}
