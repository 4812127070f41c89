// Assets in a directory: made in its staging, named by contents and generation, renamed in.
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../data-directory/sync-directory.ts";
import { asAssetError } from "./asset-error.ts";
import type {
  AssetStore,
  StagedFile,
  StageOptions,
  StagingSweep,
  StoredBytes,
  StoreMark,
} from "./asset-store.ts";
import { DirectoryMark } from "./directory-mark.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import { type FileKey, fileName, readFileName } from "./file-key.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";
import { Staging } from "./staging.ts";

/** A large file goes out in fewer, larger pieces. */
const READ_BYTES = 256 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export class FileStore implements AssetStore {
  readonly path: string;
  readonly mark: StoreMark;
  readonly #staging: Staging;

  constructor(path: string, hostId: string, reserve: DiskReserve) {
    this.path = path;
    this.mark = new DirectoryMark(path);
    this.#staging = new Staging(join(path, "staging"), hostId, reserve);
  }

  /** Jobs of another user must not even see names: they are hashes of what others made. */
  async prepare(): Promise<void> {
    await makePrivateDirectory(this.path);
    await this.#staging.prepare();
  }

  async stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile> {
    const staged = await this.#staging.write(bytes, options);
    const { path, sha256 } = staged;
    return { ...staged, keep: (generation) => this.#keep(path, { sha256, generation }) };
  }

  async open(key: FileKey, bytes: number): Promise<StoredBytes | undefined> {
    let file: FileHandle;
    try {
      file = await open(this.placeOf(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return undefined;
      throw error;
    }
    const found = await file.stat();
    if (!found.isFile() || found.size !== bytes) {
      await file.close();
      return undefined;
    }
    return {
      stream: ({ from, to } = { from: 0, to: bytes }) =>
        file.createReadStream({
          highWaterMark: READ_BYTES,
          // An empty range cannot be said: `end` is included.
          ...(from < to ? { start: from, end: to - 1 } : { start: bytes }),
        }),
      close: () => file.close(),
    };
  }

  placeOf(key: FileKey): string {
    return join(this.path, key.sha256.slice(0, 2), fileName(key));
  }

  async remove(key: FileKey): Promise<void> {
    await rm(this.placeOf(key), { force: true });
  }

  async list(prefix: string): Promise<readonly FileKey[]> {
    const names = await readdir(join(this.path, prefix)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names
      .flatMap((name) => readFileName(name) ?? [])
      .filter(({ sha256 }) => sha256.startsWith(prefix));
  }

  async sweepStaging(): Promise<StagingSweep> {
    return await this.#staging.sweep();
  }

  async #keep(staged: string, key: FileKey): Promise<void> {
    const directory = join(this.path, key.sha256.slice(0, 2));
    try {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      await rename(staged, this.placeOf(key));
      await syncDirectory(directory);
      await syncDirectory(this.path); // whoever made the directory may not have come to it yet
    } catch (error) {
      await rm(staged, { force: true });
      throw asAssetError(error);
    }
  }
}
