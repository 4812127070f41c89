// Assets in a directory: made in its staging, named by their contents, renamed in.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive, thisProcess } from "@croft/git";
import { syncDirectory } from "../data-directory/sync-directory.ts";
import { asAssetError } from "./asset-error.ts";
import type { AssetStore, StagedFile, StageOptions, StoredBytes } from "./asset-store.ts";
import { writeWhole } from "./write-whole.ts";

/** Nothing was written into it for so long: its writer is dead, on whatever host it was. */
const STAGED_FOR_MS = 3_600_000;
const SHA256 = /^[0-9a-f]{64}$/;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export class FileStore implements AssetStore {
  readonly path: string;
  readonly #staging: string;
  readonly #hostId: string;

  constructor(path: string, hostId: string) {
    this.path = path;
    this.#staging = join(path, "staging");
    this.#hostId = hostId;
  }

  /** Jobs of another user must not even see names: they are hashes of what others made. */
  async prepare(): Promise<void> {
    for (const path of [this.path, this.#staging]) {
      const made = await mkdir(path, { recursive: true, mode: 0o700 });
      if (made !== undefined) await chmod(path, 0o700); // the umask may have taken bits away
    }
  }

  async stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile> {
    const { pid, start } = thisProcess();
    const name = [this.#hostId, pid, start, randomUUID().slice(0, 8)].join(".");
    const path = join(this.#staging, name);
    const discard = () => rm(path, { force: true });
    let file: FileHandle | undefined;
    try {
      file = await open(path, "wx", 0o600);
      const written = await writeWhole(file, bytes, options);
      await file.chmod(0o400);
      await file.sync();
      await file.close();
      return { ...written, keep: () => this.#keep(path, written.sha256), discard };
    } catch (error) {
      await file?.close();
      await discard();
      throw asAssetError(error);
    }
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
        // An empty range cannot be said: `end` is included.
        file.createReadStream(from < to ? { start: from, end: to - 1 } : { start: bytes }),
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
    const removed: string[] = [];
    for (const name of await readdir(this.#staging)) {
      const path = join(this.#staging, name);
      if (!(await this.#isLeft(name, path))) continue;
      await rm(path, { force: true });
      removed.push(path);
    }
    return removed;
  }

  /** Processes of other hosts cannot be seen from here: their files go by age. */
  async #isLeft(name: string, path: string): Promise<boolean> {
    const [host, pid, start = ""] = name.split(".");
    if (host === this.#hostId && !isProcessAlive({ pid: Number(pid), start })) return true;
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined; // complete, or removed by another sweep
      throw error;
    });
    return found !== undefined && found.mtimeMs < Date.now() - STAGED_FOR_MS;
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
