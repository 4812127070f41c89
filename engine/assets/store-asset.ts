// Stores bytes, and records them in the caller's own transaction: what is visible is complete.
import type { Readable } from "node:stream";
import type { Asset, AssetKind } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { newId } from "../new-id.ts";
import { AssetError } from "./asset-error.ts";
import type { StageOptions } from "./asset-store.ts";
import type { Assets } from "./assets.ts";
import { type ClaimingAttempt, claimFile, endClaim, type FileClaim } from "./claim-file.ts";
import { requireRoom, roomIsOver } from "./disk-budget.ts";
import { effectiveType, normaliseMediaType } from "./media-type.ts";
import { type HostileFile, openInside, readOpened } from "./open-inside.ts";
import { DIRECTORY_MEDIA_TYPE, packDirectory } from "./pack-directory.ts";
import { ASSET_COLUMNS, type AssetRow, assetOf } from "./read-assets.ts";
import { HEAD_BYTES, sniffType } from "./sniff-type.ts";
import { tooLarge } from "./write-whole.ts";

/** In its place, and kept there until it is recorded or the claim is over. */
export interface StoredFile extends FileClaim {
  readonly bytes: number;
  /** As what it is to be served, by what was declared and what it contains. */
  readonly mediaType: string;
}

export interface StoreOptions extends Partial<StageOptions> {
  /** What the caller says that it is. */
  readonly declaredType?: string | undefined;
  /** Which attempt will record it, or nobody. */
  readonly attempt?: ClaimingAttempt | undefined;
}

export interface NewAsset {
  readonly owner: string;
  readonly kind: AssetKind;
  /** Only a name: at most 255 characters of any kind. */
  readonly name: string;
  /** Without one, what the stored file is. */
  readonly mediaType?: string | undefined;
  /** As the caller said, believed or not. */
  readonly declaredType?: string | undefined;
  readonly jobId?: string | undefined;
  readonly runId?: string | undefined;
  readonly step?: string | undefined;
  readonly item?: string | undefined;
  readonly commit?: string | undefined;
  readonly sourceTaskId?: string | undefined;
  /** Without one it is kept as its kind is. */
  readonly expiresAt?: Date | undefined;
}

/** Which attempt records it: refused when that is over. */
export interface AssetFence {
  readonly jobId: string;
  readonly attempt: number;
  readonly workerId: string;
}

const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; charset=[\w-]{1,32})?$/;

/**
 * The claim is in the database before the file is in its place, and a sweep gives a file up before it removes it, so neither
 * can remove what the other is about to use. The same bytes twice are one file: the last takes the place of the first.
 */
export async function storeStream(
  assets: Assets,
  bytes: Readable | AsyncIterable<Uint8Array>,
  options: StoreOptions = {},
): Promise<StoredFile> {
  const { maxBytes = assets.maxBytes, signal, attempt, declaredType } = options;
  const store = await assets.store();
  const head = new Head(bytes);
  const room = await requireRoom(assets);
  const staged = await store
    .stage(head, { maxBytes: Math.min(maxBytes, room), signal })
    .catch((error: unknown) => {
      const isRoomOver =
        error instanceof AssetError && error.code === "too-large" && room < maxBytes;
      throw isRoomOver ? roomIsOver(assets) : error;
    });
  let claim: FileClaim | undefined;
  try {
    const sniffed = await sniffType(head.taken());
    claim = await claimFile(assets, staged, attempt);
    await staged.keep(claim.generation, signal);
    const mediaType = effectiveType(normaliseMediaType(declaredType), sniffed);
    return { ...claim, bytes: staged.bytes, mediaType };
  } catch (error) {
    await staged.discard();
    if (claim !== undefined) await endClaim(assets.database.pool, claim);
    throw error;
  }
}

/** Keeps the first bytes as they pass. */
class Head implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #taken: Uint8Array[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source) {
      if (this.#length < HEAD_BYTES) {
        // Copied: whoever owns the bytes may write over them.
        const part = Uint8Array.from(chunk.subarray(0, HEAD_BYTES - this.#length));
        this.#taken.push(part);
        this.#length += part.length;
      }
      yield chunk;
    }
  }

  taken(): Uint8Array {
    return Buffer.concat(this.#taken);
  }
}

/** A file that a job made, from a directory that the job may still be changing. */
export async function storeFile(
  assets: Assets,
  file: HostileFile,
  options: StoreOptions = {},
): Promise<StoredFile> {
  const { maxBytes = assets.maxBytes } = options;
  const { handle, size } = await openInside(file);
  try {
    if (size > maxBytes) throw tooLarge(maxBytes); // holes would be read as zeros
    return await storeStream(assets, readOpened(handle), options);
  } finally {
    await handle.close();
  }
}

/** A directory that a job made, as one archive; see `DIRECTORY_MEDIA_TYPE`. */
export async function storeDirectory(
  assets: Assets,
  directory: HostileFile,
  options: StoreOptions = {},
): Promise<StoredFile> {
  const { signal } = options;
  const packed = packDirectory(directory, { signal });
  return await storeStream(assets, packed, { ...options, declaredType: DIRECTORY_MEDIA_TYPE });
}

/** What is left of a stored file where only its row is still to be written. The claim of an attempt ends by itself. */
export type RecordedFile = Pick<StoredFile, "sha256" | "generation" | "bytes"> &
  Partial<Pick<StoredFile, "mediaType" | "claim">>;

/** In the caller's transaction: with the job's end, the asset is there; without it, it never was. */
export async function recordAsset(
  client: Queryable,
  { sha256, generation, bytes, claim, ...stored }: RecordedFile,
  asset: NewAsset,
  fence?: AssetFence,
): Promise<Asset> {
  const mediaType = asset.mediaType ?? stored.mediaType ?? "application/octet-stream";
  if (!MEDIA_TYPE.test(mediaType)) throw new Error("that is no media type");
  if (fence !== undefined) await requireAttempt(client, fence);
  const { rows } = await client.query<AssetRow>(INSERT, [
    ...[newId(), asset.owner, asset.kind, asset.name, mediaType, bytes, sha256],
    ...[asset.jobId ?? null, asset.runId ?? null, asset.step ?? null, asset.item ?? null],
    ...[asset.commit ?? null, asset.sourceTaskId ?? null, asset.expiresAt ?? null],
    ...[normaliseMediaType(asset.declaredType) ?? null, generation, claim ?? null],
  ]);
  const [row] = rows;
  if (row === undefined) {
    const message = "the stored file was not recorded in time, and may have been removed";
    throw new AssetError("gone", message);
  }
  const { id, owner, kind, name, job_id, run_id, step, item } = row;
  await client.query(
    "insert into croft.event (subject, seq, owner, type, data) values ($1, 1, $2, 'asset.created', $3)",
    [id, owner, { kind, name, bytes, job_id, run_id, step, item }],
  );
  await client.query("select croft.announce(array[$1::uuid])", [id]);
  return assetOf(row);
}

/** Rows only; a file goes when no row has it any more. Says how many there were. */
export async function removeAssets(client: Queryable, ids: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "select croft.remove_assets($1::uuid[]) as count",
    [ids],
  );
  return rows[0]?.count ?? 0;
}

/**
 * The lock keeps a sweep away until the transaction ends. The generation must be the same: of another one the file may not have
 * come yet.
 */
const INSERT = `
  with file as (
    select sha256 from croft.asset_file where sha256 = decode($7, 'hex') and generation = $16 for key share
  ), ended as (
    delete from croft.asset_claim where id = $17
  )
  insert into croft.asset (id, owner, kind, name, media_type, bytes, sha256, job_id, run_id, step, item, commit,
    source_task_id, expires_at, declared_type)
  select $1::uuid, $2, $3, $4, $5, $6::bigint, sha256, $8::uuid, $9::uuid, $10, $11, $12, $13, $14::timestamptz, $15
  from file
  returning ${ASSET_COLUMNS}`;

/** Held to the end of the transaction, so that nobody takes the job over in between. */
async function requireAttempt(client: Queryable, { jobId, attempt, workerId }: AssetFence) {
  const { rowCount } = await client.query(
    `select from croft.job where id = $1 and status = 'running' and attempt = $2 and worker_id = $3 for key share`,
    [jobId, attempt, workerId],
  );
  if (rowCount !== 1) throw new AssetError("stale", "the attempt that made this file is over");
}
