// What a store of assets must be able to do: files by their contents, whole or not there.
import type { Readable } from "node:stream";

export interface StageOptions {
  /** Enforced while it is read, however large it says that it is. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Complete and safe on disk, but in nobody's sight. */
export interface StagedFile {
  readonly sha256: string;
  readonly bytes: number;
  /** Brings it to its place, where the same contents may lie already. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

export interface ByteRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

export interface StoredBytes {
  /** To be read to its end or destroyed; one only, and then `close` has nothing to do. */
  stream(range?: ByteRange): Readable;
  close(): Promise<void>;
}

/** What a store tells of itself, so that another is not taken for it. */
export interface StoreMark {
  /** For messages: where the store is. */
  readonly place: string;
  /** What to do where it is another one. */
  readonly wayOut: string;
  read(): Promise<string | undefined>;
  /** A new one, or that of somebody who was quicker. */
  make(): Promise<string>;
}

/** How whoever downloads it gets it. */
export interface SentAs {
  readonly mediaType: string;
  readonly disposition: string;
}

/** Rows decide what is there: a store is asked only for files that have one, and told to remove only those without. */
export interface AssetStore {
  readonly mark: StoreMark;
  /** Before anything else is asked of it. */
  prepare(): Promise<void>;
  stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile>;
  /** Undefined when it is not there, or has another size. */
  open(sha256: string, bytes: number): Promise<StoredBytes | undefined>;
  /** Where the store itself gives it to whoever has this address, for a short time; undefined where it does not. */
  addressOf?(sha256: string, sentAs: SentAs): Promise<string | undefined>;
  /** What is not there is removed already. */
  remove(sha256: string): Promise<void>;
  /** In parts, in order: all that lie there and begin with these two digits. */
  list(prefix: string): Promise<readonly string[]>;
  /** What writers that died have left half made. */
  sweepStaging(): Promise<readonly string[]>;
}
