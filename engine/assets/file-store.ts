// Assets in a directory: made in its staging, named by their contents, renamed in.
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../data-directory/sync-directory.ts";
import { asAssetError } from "./asset-error.ts";
import type {
  AssetStore,
  StagedFile,
  StageOptions,
  StoredBytes,
  StoreMark,
} from "./asset-store.ts";
import { DirectoryMark } from "./directory-mark.ts";
import { Staging } from "./staging.ts";

const SHA256 = /^[0-9a-f]{64}$/;
/** A large file goes out in fewer, larger pieces. */
const READ_BYTES = 256 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export class FileStore implements AssetStore {
  readonly path: string;
  readonly mark: StoreMark;
  readonly #staging: Staging;

  constructor(path: string, hostId: string) {
    this.path = path;
    this.mark = new DirectoryMark(path);
    this.#staging = new Staging(join(path, "staging"), hostId);
  }

  /** Jobs of another user must not even see names: they are hashes of what others made. */
  async prepare(): Promise<void> {
    const made = await mkdir(this.path, { recursive: true, mode: 0o700 });
    if (made !== undefined) await chmod(this.path, 0o700); // the umask may have taken bits away
    await this.#staging.prepare();
  }

  async stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile> {
    const staged = await this.#staging.write(bytes, options);
    return { ...staged, keep: () => this.#keep(staged.path, staged.sha256) };
  }

  async open(sha256: string, bytes: number): Promise<StoredBytes | undefined> {
    let file: FileHandle;
    try {
      file = await open(this.#placeOf(sha256), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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

  async remove(sha256: string): Promise<void> {
    await rm(this.#placeOf(sha256), { force: true });
  }

  async list(prefix: string): Promise<readonly string[]> {
    const names = await readdir(join(this.path, prefix)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.filter((name) => SHA256.test(name) && name.startsWith(prefix)).sort();
  }

  async sweepStaging(): Promise<readonly string[]> {
    return await this.#staging.sweep();
  }

  async #keep(staged: string, sha256: string): Promise<void> {
    const directory = join(this.path, sha256.slice(0, 2));
    try {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      await rename(staged, this.#placeOf(sha256));
      await syncDirectory(directory);
      await syncDirectory(this.path); // whoever made the directory may not have come to it yet
    } catch (error) {
      await rm(staged, { force: true });
      throw asAssetError(error);
    }
  }

  #placeOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new Error("that is no SHA-256");
    return join(this.path, sha256.slice(0, 2), sha256);
  }
}
