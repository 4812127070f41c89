// What a store of assets must be able to do: files by their contents, whole or not there.
import type { Readable } from "node:stream";
import type { FileKey } from "./file-key.ts";

export interface StageOptions {
  /** Enforced while it is read, however large it says that it is. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Complete and safe on disk, but in nobody's sight. */
export interface StagedFile {
  readonly sha256: string;
  readonly bytes: number;
  /** Brings it to its place, where the same may lie already. */
  keep(generation: string, signal?: AbortSignal): Promise<void>;
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

/** `store-id`: which store it is. `store-owner`: the database that may remove files from it. */
export type MarkName = "store-id" | "store-owner";

/** What a store tells of itself, so that another is not taken for it. */
export interface StoreMark {
  /** For messages: where the store is. */
  readonly place: string;
  /** What to do where it is another one. */
  readonly wayOut: string;
  read(name: MarkName): Promise<string | undefined>;
  /** What is there already, or this; it stays from then on. */
  provide(name: MarkName, text: string): Promise<string>;
}

/** How whoever downloads it gets it. */
export interface SentAs {
  readonly mediaType: string;
  readonly disposition: string;
}

/** A removal that the store can say more about than its error. */
export interface FailedRemoval {
  readonly place: string;
  readonly error: Error;
}

/** What was left half made: what has gone of it, and what could not be removed and was not told of before. */
export interface StagingSweep {
  readonly removed: readonly string[];
  readonly failed: readonly FailedRemoval[];
}

/** Of these files the names of those that somebody may still be bringing to their places. */
export type ClaimedFiles = (files: readonly FileKey[]) => Promise<ReadonlySet<string>>;

/** Rows decide what is there: a store is asked only for files that have one, and told to remove only those without. */
export interface AssetStore {
  readonly mark: StoreMark;
  /** Before anything else is asked of it. */
  prepare(): Promise<void>;
  stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile>;
  /** Undefined when it is not there, or has another size. */
  open(key: FileKey, bytes: number): Promise<StoredBytes | undefined>;
  /** Where the store itself gives it to whoever has this address, for a short time; undefined where it does not. */
  addressOf?(key: FileKey, sentAs: SentAs): Promise<string | undefined>;
  /** For messages: where it lies. */
  placeOf(key: FileKey): string;
  /** What is not there is removed already. */
  remove(key: FileKey, signal?: AbortSignal): Promise<void>;
  /** In parts: all that lie there and begin with these two digits. */
  list(prefix: string): Promise<readonly FileKey[]>;
  /** What writers that died have left half made. */
  sweepStaging(claimed: ClaimedFiles): Promise<StagingSweep>;
}
