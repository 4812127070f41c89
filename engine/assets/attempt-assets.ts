// Files that an attempt makes: stored at once, recorded with the end of its job or not at all.
import { AssetName } from "@croft/contract";
import { tryAgain } from "../database/try-again.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { AttemptAssets, PutAsset, PutOptions } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { asAssetFailure } from "./asset-failure.ts";
import type { Assets } from "./assets.ts";
import { normaliseMediaType } from "./media-type.ts";
import type { HostileFile } from "./open-inside.ts";
import { type StoredFile, type StoreOptions, storeFile, storeStream } from "./store-asset.ts";

/** What the end of the job says of a file. */
export interface KeptAsset {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly declared_type: string | null;
  readonly bytes: number;
  readonly sha256: string;
  readonly generation: string;
  readonly commit: string | null;
}

export interface AttemptFilesOptions {
  readonly assets: Assets;
  readonly jobId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

const COUNT_MAX = 1000;

/** What an attempt stores waits for its row for as long as the attempt lasts; see `croft.end_idle_asset_claims`. */
export class AttemptFiles implements AttemptAssets {
  readonly #options: AttemptFilesOptions;
  readonly #kept: KeptAsset[] = [];
  /** How many are being stored. */
  #coming = 0;
  #isOver = false;

  constructor(options: AttemptFilesOptions) {
    this.#options = options;
  }

  async put(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<PutAsset> {
    const { assets } = this.#options;
    return await this.#keep(name, options, (stored) => storeStream(assets, bytes, stored));
  }

  async putFile(name: string, file: HostileFile, options: PutOptions = {}): Promise<PutAsset> {
    const { assets } = this.#options;
    return await this.#keep(name, options, (stored) => storeFile(assets, file, stored));
  }

  /** Before the job ends as done: all of them, safe until that is written. */
  async seal(): Promise<readonly KeptAsset[]> {
    if (this.#kept.length === 0) return [];
    const missing = await tryAgain(() => this.#missing());
    if (missing === 0) return this.#kept;
    const message = `${missing} stored files have gone before the job ended`;
    throw new JobFailure("transient", "asset-gone", message);
  }

  /** What was not recorded with it is nobody's, and goes with the next sweep. */
  end(): void {
    this.#isOver = true;
  }

  async #keep(
    name: string,
    { mediaType: declared, commit }: PutOptions,
    store: (options: StoreOptions) => Promise<StoredFile>,
  ): Promise<PutAsset> {
    if (!AssetName.safeParse(name).success) {
      const message = "a file's name must have 1 to 255 characters, and no control characters";
      throw new JobFailure("invalid", "invalid-name", message);
    }
    if (this.#kept.length + this.#coming >= COUNT_MAX) {
      throw new JobFailure("invalid", "too-many", `a job keeps at most ${COUNT_MAX} files`);
    }
    const { jobId, attempt, signal } = this.#options;
    const options = { signal, declaredType: declared, attempt: { jobId, attempt } };
    this.#coming++;
    const { sha256, generation, bytes, mediaType } = await store(options)
      .catch((error: unknown) => {
        throw asAssetFailure(error);
      })
      .finally(() => this.#coming--);
    signal.throwIfAborted();
    // What nobody waited for.
    if (this.#isOver) throw new JobFailure("lost", "stale", "this attempt is over");
    const id = newId();
    const types = { media_type: mediaType, declared_type: normaliseMediaType(declared) ?? null };
    this.#kept.push({ id, name, ...types, bytes, sha256, generation, commit: commit ?? null });
    return { id, bytes, sha256, mediaType };
  }

  /** How many are not there any more: by a claim they should be. */
  async #missing(): Promise<number> {
    const { database } = this.#options.assets;
    const generations = [...new Set(this.#kept.map(({ generation }) => generation))];
    const hashes = [...new Set(this.#kept.map(({ sha256 }) => sha256))];
    const { rowCount } = await database.pool.query(
      `select from croft.asset_file where sha256 in (select decode(x, 'hex') from unnest($1::text[]) x)
         and generation = any ($2::uuid[])`,
      [hashes, generations],
    );
    return generations.length - (rowCount ?? 0);
  }
}
