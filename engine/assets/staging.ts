// Where files are made before they come to their place: whole or not at all, and swept when their maker died.
import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isProcessAlive, thisProcess } from "@croft/git";
import { asAssetError } from "./asset-error.ts";
import type { FailedRemoval, StageOptions, StagingSweep } from "./asset-store.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";
import { type WrittenBytes, writeWhole } from "./write-whole.ts";

/** Nothing was written into it for so long: its writer is dead, on whatever host it was. */
const STAGED_FOR_MS = 3_600_000;

export interface StagedPath extends WrittenBytes {
  readonly path: string;
  discard(): Promise<void>;
}

export class Staging {
  readonly path: string;
  readonly #hostId: string;
  readonly #reserve: DiskReserve;
  readonly #told = new Set<string>();

  constructor(path: string, hostId: string, reserve: DiskReserve) {
    this.path = path;
    this.#hostId = hostId;
    this.#reserve = reserve;
  }

  /** Jobs of another user must not even see names. */
  async prepare(): Promise<void> {
    await makePrivateDirectory(this.path);
  }

  async write(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedPath> {
    const { pid, start } = thisProcess();
    const name = [this.#hostId, pid, start, randomUUID().slice(0, 8)].join(".");
    const path = join(this.path, name);
    const discard = () => rm(path, { force: true });
    let file: FileHandle | undefined;
    try {
      file = await open(path, "wx", 0o600);
      const written = await writeWhole(file, bytes, {
        ...options,
        room: this.#reserve.roomIn(this.path),
      });
      await file.chmod(0o400);
      await file.sync();
      await file.close();
      return { ...written, path, discard };
    } catch (error) {
      await file?.close();
      await discard();
      throw asAssetError(error);
    }
  }

  /** One that cannot be removed keeps no other from it, and is told once. */
  async sweep(): Promise<StagingSweep> {
    const removed: string[] = [];
    const failed: FailedRemoval[] = [];
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name);
      try {
        if (!(await this.#isLeft(name, path))) continue;
        await rm(path, { force: true });
        removed.push(path);
      } catch (error) {
        if (!this.#told.has(name)) failed.push({ place: path, error: error as Error });
        this.#told.add(name);
      }
    }
    return { removed, failed };
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
}
