// Assets as the API shows them, and their contents.
import type { Asset, AssetKind, AssetList, AssetQuery } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { AssetError } from "./asset-error.ts";
import type { AssetStore, SentAs, StoredBytes } from "./asset-store.ts";
import type { Assets } from "./assets.ts";
import type { FileKey } from "./file-key.ts";

export interface AssetRow {
  readonly id: string;
  readonly owner: string;
  readonly kind: AssetKind;
  readonly name: string;
  readonly media_type: string;
  readonly declared_type: string | null;
  /** PostgreSQL's bigint comes as text. */
  readonly bytes: string;
  readonly sha256: string;
  readonly job_id: string | null;
  readonly run_id: string | null;
  readonly step: string | null;
  readonly item: string | null;
  readonly commit: string | null;
  readonly source_task_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  /** Of a run: its step has been done again since, or will be. */
  readonly superseded: boolean;
}

export const ASSET_COLUMNS = `id, owner, kind, name, media_type, declared_type, bytes, encode(sha256, 'hex') as sha256, job_id,
  run_id, step, item, commit, source_task_id, created_at, expires_at,
  kind in ('artifact', 'bundle') and run_id is not null and not exists (select from croft.run_step s where s.run_id = asset.run_id
    and s.step = asset.step and s.item = coalesce(asset.item, '') and s.job_id = asset.job_id) as superseded`;

/** A foreign one is not there: nobody learns that it exists. */
export async function readAsset({ pool }: Database, { owner }: Scope, id: string): Promise<Asset> {
  const { rows } = await pool.query<AssetRow>(
    `select ${ASSET_COLUMNS} from croft.asset where id = $1 and ($2::text is null or owner = $2)`,
    [id, owner ?? null],
  );
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such asset");
  return assetOf(row);
}

/**
 * Newest first. The cursor is the last id of the page before. Of each condition the words are those of its index, except of a
 * part of the name and of the size: for these all rows are looked at, until there are enough.
 */
export async function listAssets(
  { pool }: Database,
  scope: Scope,
  { limit, ...query }: AssetQuery,
): Promise<AssetList> {
  const conditions = ["true"];
  const values: unknown[] = [];
  const add = (condition: string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition.replace("$", `$${values.length}`));
  };
  add("owner = $", scope.owner);
  add("owner = $", query.owner);
  add("kind = $", query.kind);
  add("job_id = $", query.job);
  add("run_id = $", query.run);
  add("step = $", query.step);
  add("source_task_id = $", query.source_task_id);
  add("commit = $", query.commit);
  add("position(lower($) in lower(name)) > 0", query.search);
  const type = query.type?.toLowerCase();
  const isWhole = type?.includes("/") === true;
  add(isWhole ? "split_part(media_type, ';', 1) = $" : "split_part(media_type, '/', 1) = $", type);
  add("declared_type = $", query.declared_type);
  add("name = $", query.name);
  add("sha256 = decode($, 'hex')", query.sha256);
  add("bytes >= $", query.bytes_min);
  add("bytes <= $", query.bytes_max);
  add("id < $", query.cursor);
  const { rows } = await pool.query<AssetRow>(
    `select ${ASSET_COLUMNS} from croft.asset where ${conditions.join(" and ")} order by id desc limit ${limit + 1}`,
    values,
  );
  const assets = rows.slice(0, limit).map(assetOf);
  const last = rows.length > limit ? assets.at(-1) : undefined;
  return { assets, next_cursor: last?.id ?? null };
}

/** Never by a path or name that a caller gave: by the hash in the row. */
export async function openAsset(assets: Assets, asset: Asset): Promise<StoredBytes> {
  const store = await readableStore(assets);
  const opened = await store.open(await keyOf(assets, asset), asset.bytes).catch(asUnavailable);
  if (opened !== undefined) return opened;
  // Removed between the reading of the row and now, it is as if it had not been there.
  await readAsset(assets.database, { owner: undefined }, asset.id);
  assets.log.error({ asset: asset.id, sha256: asset.sha256 }, "the file of an asset is lost");
  throw new EngineError("asset-lost", "the contents of this asset are lost; make it again");
}

/** Where the store itself gives it to whoever has this address; undefined where it does not. */
export async function addressOfAsset(
  assets: Assets,
  asset: Asset,
  sentAs: SentAs,
): Promise<string | undefined> {
  const store = await readableStore(assets);
  if (store.addressOf === undefined) return undefined;
  return await store.addressOf(await keyOf(assets, asset), sentAs).catch(asUnavailable);
}

/**
 * As long as an asset is there, its file is, and stays the same one. Not by the asset: a run reads what it has recorded in a
 * transaction that is still open.
 */
async function keyOf({ database }: Assets, { sha256 }: Asset): Promise<FileKey> {
  const { rows } = await database.pool.query<{ generation: string }>(
    "select generation from croft.asset_file where sha256 = decode($1, 'hex')",
    [sha256],
  );
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such asset");
  return { sha256, generation: row.generation };
}

async function readableStore(assets: Assets): Promise<AssetStore> {
  const store = await assets.ownStore().catch(asUnavailable);
  if (store !== undefined) return store;
  throw new EngineError("unavailable", "the files of assets are kept on another host");
}

function asUnavailable(error: unknown): never {
  if (!(error instanceof AssetError)) throw error;
  throw new EngineError("unavailable", error.message, { cause: error });
}

export function assetOf(row: AssetRow): Asset {
  return {
    ...row,
    bytes: Number(row.bytes),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
