// Files that an attempt makes: stored at once, recorded with the end of its job or not at all.
import { AssetName } from "@croft/contract";

import { tryAgain } from "../database/try-again.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { AttemptAssets, PutAsset, PutOptions } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { AssetError } from "./asset-error.ts";
import type { Assets } from "./assets.ts";
import { normaliseMediaType } from "./media-type.ts";
import type { HostileFile } from "./open-inside.ts";
import { CLAIM_MS, type StoredFile, storeFile, storeStream } from "./store-asset.ts";

/** What the end of the job says of a file. */
export interface KeptAsset {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly declared_type: string | null;
  readonly bytes: number;
  readonly sha256: string;
  readonly commit: string | null;
}

export interface AttemptFilesOptions {
  readonly assets: Assets;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const COUNT_MAX = 1000;

/** A file waits for its row for an hour only, and a job may take longer: it is asked for again until the job ends. */
export class AttemptFiles implements AttemptAssets {
  readonly #options: AttemptFilesOptions;
  readonly #kept: KeptAsset[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttemptFilesOptions) {
    this.#options = options;
  }

  async put(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<PutAsset> {
    const { assets, signal } = this.#options;
    const declaredType = options.mediaType;
    return await this.#keep(name, options, () =>
      storeStream(assets, bytes, { signal, declaredType }),
    );
  }

  async putFile(name: string, file: HostileFile, options: PutOptions = {}): Promise<PutAsset> {
    const { assets, signal } = this.#options;
    const declaredType = options.mediaType;
    return await this.#keep(name, options, () => storeFile(assets, file, { signal, declaredType }));
  }

  /** Before the job ends as done: all of them, safe until that is written. */
  async seal(): Promise<readonly KeptAsset[]> {
    clearInterval(this.#timer);
    if (this.#kept.length === 0) return [];
    const missing = await tryAgain(() => this.#claim());
    if (missing === 0) return this.#kept;
    const message = `${missing} stored files have gone before the job ended`;
    throw new JobFailure("transient", "asset-gone", message);
  }

  /** What was not sealed is nobody's, and goes when its claim is over. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #keep(
    name: string,
    { mediaType: declared, commit }: PutOptions,
    store: () => Promise<StoredFile>,
  ): Promise<PutAsset> {
    if (!AssetName.safeParse(name).success) {
      const message = "a file's name must have 1 to 255 characters, and no control characters";
      throw new JobFailure("invalid", "invalid-name", message);
    }
    if (this.#kept.length >= COUNT_MAX) {
      throw new JobFailure("invalid", "too-many", `a job keeps at most ${COUNT_MAX} files`);
    }
    const { sha256, bytes, mediaType } = await store().catch((error: unknown) => {
      throw asFailure(error);
    });
    this.#options.signal.throwIfAborted();
    const id = newId();
    const types = { media_type: mediaType, declared_type: normaliseMediaType(declared) ?? null };
    this.#kept.push({ id, name, ...types, bytes, sha256, commit: commit ?? null });
    this.#timer ??= setInterval(
      () => void this.#claim().catch(this.#options.onError),
      CLAIM_MS / 3,
    ).unref();
    return { id, bytes, sha256, mediaType };
  }

  /** How many are not there any more. */
  async #claim(): Promise<number> {
    const { database } = this.#options.assets;
    const hashes = [...new Set(this.#kept.map(({ sha256 }) => sha256))];
    const { rowCount } = await database.pool.query(
      `update croft.asset_file set due_at = greatest(due_at, croft.now() + make_interval(secs => $2))
       where sha256 in (
         select sha256 from croft.asset_file
         where sha256 in (select decode(x, 'hex') from unnest($1::text[]) x) order by sha256 for no key update)`,
      [hashes, CLAIM_MS / 1000],
    );
    return hashes.length - (rowCount ?? 0);
  }
}

/** A full disk may have room again; what is too large stays so. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof AssetError)) return error;
  const kind = ["disk-full", "gone", "store-elsewhere", "unreachable"].includes(error.code)
    ? "transient"
    : "invalid";
  return new JobFailure(kind, `asset-${error.code}`, error.message, { cause: error });
}
