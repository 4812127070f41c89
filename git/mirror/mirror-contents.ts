// What is in the mirrors, for those who may read it: files, changes between commits, contents.
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { BlobReader, type ReadBlobOptions, type StreamBlobOptions } from "./blob-reader.ts";
import {
  type CommitFacts,
  type HistoryOptions,
  type HistoryRecord,
  readCommitFacts,
  readHistory,
} from "./commit-history.ts";
import { ExportAttributes, type ExportAttributesOptions } from "./export-attributes.ts";
import { hasCommit } from "./is-reachable.ts";
import { type FileListing, type FilePage, findFile, listFiles } from "./list-files.ts";
import type { Mirrors } from "./mirror.ts";
import { type Comparison, type FileChange, treeChanges } from "./tree-changes.ts";
import { readSizedTree, type SizedEntry, type SizedTreeOptions } from "./tree-entries.ts";
import type { TreeView } from "./tree-side.ts";

/** Of one git. It takes 420 MB to tell of a commit that adds a million files with paths of 65 bytes. */
const MEMORY_BYTES_MAX = 1024 ** 3;

/** It asks no remote, and so is no permission: whoever hands out what it says has let the remote say so first. */
export class MirrorContents {
  readonly #mirrors: Mirrors;
  readonly #readers = new Map<string, BlobReader>();

  constructor(mirrors: Mirrors) {
    this.#mirrors = mirrors;
  }

  /** With all that belongs to it. */
  async hasCommit(remote: RemoteUrl, commit: CommitId, signal?: AbortSignal): Promise<boolean> {
    return await hasCommit(this.#placeOf(remote), commit, signal);
  }

  changes(remote: RemoteUrl, comparison: Comparison): AsyncGenerator<FileChange, void, undefined> {
    return treeChanges(this.#placeOf(remote), comparison);
  }

  async listFiles(
    remote: RemoteUrl,
    listing: FileListing,
    signal?: AbortSignal,
  ): Promise<FilePage> {
    return await listFiles({ ...this.#placeOf(remote), signal }, listing);
  }

  async findFile(
    remote: RemoteUrl,
    view: TreeView,
    path: Buffer,
    signal?: AbortSignal,
  ): Promise<SizedEntry | undefined> {
    return await findFile({ ...this.#placeOf(remote), signal }, view, path);
  }

  /** All files, in the order that git has them in. */
  tree(
    remote: RemoteUrl,
    commit: CommitId,
    options: SizedTreeOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<SizedEntry[]> {
    return readSizedTree(
      { ...this.#boundPlaceOf(remote), signal: options.signal },
      commit,
      options,
    );
  }

  async commitFacts(
    remote: RemoteUrl,
    commit: CommitId,
    signal?: AbortSignal,
  ): Promise<CommitFacts> {
    return await readCommitFacts({ ...this.#boundPlaceOf(remote), signal }, commit);
  }

  /** The commit itself is the first. */
  history(
    remote: RemoteUrl,
    commit: CommitId,
    options: HistoryOptions & { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<HistoryRecord[]> {
    return readHistory({ ...this.#boundPlaceOf(remote), signal: options.signal }, commit, options);
  }

  /** `directory`: see `stagingPlace`. To be closed. */
  async exportAttributes(
    remote: RemoteUrl,
    commit: CommitId,
    options: ExportAttributesOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<ExportAttributes> {
    const place = { ...this.#boundPlaceOf(remote), signal: options.signal };
    return await ExportAttributes.open(place, commit, options);
  }

  async readBlob(remote: RemoteUrl, id: string, options?: ReadBlobOptions): Promise<Buffer> {
    return await this.#readerOf(remote).readBlob(id, options);
  }

  streamBlob(
    remote: RemoteUrl,
    id: string,
    options?: StreamBlobOptions,
  ): AsyncGenerator<Buffer, void, undefined> {
    return this.#readerOf(remote).streamBlob(id, options);
  }

  /** Ends the gits that stay for the next reader. */
  async close(): Promise<void> {
    const readers = [...this.#readers.values()];
    this.#readers.clear();
    await Promise.all(readers.map((reader) => reader.close()));
  }

  /** One that nobody asks costs nothing: its git has ended. */
  #readerOf(remote: RemoteUrl): BlobReader {
    const place = this.#placeOf(remote);
    const existing = this.#readers.get(place.gitDir);
    if (existing !== undefined) return existing;
    const reader = new BlobReader(place);
    this.#readers.set(place.gitDir, reader);
    return reader;
  }

  /** For what goes through all of a tree or a history, however many files its makers thought of. */
  #boundPlaceOf(remote: RemoteUrl) {
    return { ...this.#placeOf(remote), memoryBytesMax: MEMORY_BYTES_MAX };
  }

  #placeOf(remote: RemoteUrl) {
    return { gitDir: this.#mirrors.pathOf(remote) };
  }
}
