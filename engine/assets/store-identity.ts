// Proves that the directory of this host is the store whose files the database's rows mean.
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../database/open-database.ts";
import { AssetError } from "./asset-error.ts";

/** Undefined as long as nothing was ever stored. */
export async function readStoreId({ pool }: Database): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>("select id from croft.asset_store");
  return rows[0]?.id;
}

/** The first directory that something is stored in becomes the store. */
export async function claimStore(database: Database, path: string): Promise<void> {
  if ((await readStoreId(database)) === undefined) {
    await database.pool.query(
      "insert into croft.asset_store (id) values ($1) on conflict do nothing",
      [(await readMark(path)) ?? (await makeMark(path))],
    );
  }
  if (!(await isStore(database, path))) {
    throw new AssetError(
      "store-elsewhere",
      `'${path}' is not where the assets of this database are kept: set assets.path to the same shared directory on every host`,
    );
  }
}

export async function isStore(database: Database, path: string): Promise<boolean> {
  const [known, mark] = [await readStoreId(database), await readMark(path)];
  return known !== undefined && known === mark;
}

async function makeMark(path: string): Promise<string> {
  const draft = join(path, "staging", `store-id-${randomUUID()}`);
  try {
    await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
    await link(draft, markPath(path)); // of several that begin at once, one wins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const mark = await readMark(path);
  if (mark === undefined) throw new Error(`'${markPath(path)}' has gone`);
  return mark;
}

async function readMark(path: string): Promise<string | undefined> {
  try {
    return (await readFile(markPath(path), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function markPath(path: string): string {
  return join(path, "store-id");
}
