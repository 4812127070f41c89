// Puts large files together from their chunks, in a directory: what is there survives a crash, and is gone on with.
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathBytes } from "./file-path.ts";
import type { FileChunk } from "./message.ts";
import { sha256Of } from "./received-file.ts";
import { Refusal, resumeFrom } from "./refusal.ts";
import { strictBase64 } from "./strict-base64.ts";

export interface TransferLimits {
  /** Larger files are refused with 413. */
  readonly fileBytesMax?: number;
  /** What nobody went on with for so long is removed. */
  readonly keepDays?: number;
}

interface TransferredFile {
  readonly watchId: string;
  readonly path: Buffer;
  readonly sha256: string;
}

const FILE_BYTES_MAX = 16 * 1024 ** 3;
const KEEP_DAYS = 7;
const DAY_MS = 86_400_000;
const CLEAR_EVERY_MS = 3_600_000;

/**
 * A transfer is one file, `<key>.part`, and its length says which chunks are there: they come in order, and one that was
 * cut off in the middle of writing is written again over what there is of it. Complete and checked it is `<key>.whole`.
 */
export class Transfers {
  readonly #directory: string;
  readonly #fileBytesMax: number;
  readonly #keepMs: number;
  /** The last chunk of each transfer that is being written: one at a time. */
  readonly #busy = new Map<string, Promise<void>>();
  /** Those that were wrong as a whole once: a second time is not the disk's fault. */
  readonly #begunAnew = new Set<string>();
  #clearAt = 0;

  constructor(directory: string, limits: TransferLimits = {}) {
    this.#directory = directory;
    this.#fileBytesMax = limits.fileBytesMax ?? FILE_BYTES_MAX;
    this.#keepMs = (limits.keepDays ?? KEEP_DAYS) * DAY_MS;
  }

  /** Throws a Refusal: 409 when chunks before it are missing, 4xx when it cannot be right. */
  async add({ watch, file, transfer, content }: FileChunk["data"]): Promise<void> {
    const path = pathBytes(file.path, file.path_encoding);
    const key = keyOf({ watchId: watch.id, path, sha256: file.sha256 });
    if (file.size > this.#fileBytesMax) throw new Refusal(413, "the file is too large");
    const chunkBytes = chunkBytesOf(file, transfer);
    const bytes = strictBase64(content);
    if (bytes?.length !== transfer.size || sha256Of(bytes) !== transfer.sha256) {
      throw new Refusal(422, "the chunk is not what its hash says");
    }
    const before = this.#busy.get(key) ?? Promise.resolve();
    const written = before.then(() => this.#write(key, bytes, { file, transfer, chunkBytes }));
    const settled = written.catch(() => undefined); // whoever waits for it makes its own attempt
    this.#busy.set(key, settled);
    try {
      await written;
    } finally {
      if (this.#busy.get(key) === settled) this.#busy.delete(key);
    }
  }

  /** The file with the whole content. */
  async find(wanted: TransferredFile): Promise<string> {
    const file = this.#file(keyOf(wanted), "whole");
    if (!(await exists(file))) throw resumeFrom(0);
    return file;
  }

  async remove(wanted: TransferredFile): Promise<void> {
    await rm(this.#file(keyOf(wanted), "whole"), { force: true });
  }

  async #write(
    key: string,
    bytes: Buffer,
    {
      file,
      transfer: { index, total, offset },
      chunkBytes,
    }: Pick<FileChunk["data"], "file" | "transfer"> & { readonly chunkBytes: number },
  ): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await this.#clear();
    if (await exists(this.#file(key, "whole"))) return;
    const part = this.#file(key, "part");
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    const handle = await open(part, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      const there = Math.floor((await handle.stat()).size / chunkBytes);
      if (index > there) throw resumeFrom(there);
      const isLast = index === total - 1;
      if (index < there && !isLast) return; // it came again
      await writeAll(handle, bytes, offset);
      if (!isLast) return;
      await handle.truncate(file.size);
      await handle.sync(); // before its name says that it is whole
    } finally {
      await handle.close();
    }
    await this.#finish(key, file.sha256);
  }

  async #finish(key: string, sha256: string): Promise<void> {
    const part = this.#file(key, "part");
    const hash = createHash("sha256");
    for await (const piece of createReadStream(part)) hash.update(piece);
    if (hash.digest("hex") === sha256) {
      this.#begunAnew.delete(key);
      await rename(part, this.#file(key, "whole"));
      return;
    }
    await rm(part);
    if (this.#begunAnew.delete(key)) throw new Refusal(422, "the file is not what its hash says");
    this.#begunAnew.add(key);
    throw resumeFrom(0);
  }

  /** Now and then: transfers that were given up are told by nobody. */
  async #clear(): Promise<void> {
    const now = Date.now();
    if (now < this.#clearAt) return;
    this.#clearAt = now + CLEAR_EVERY_MS;
    this.#begunAnew.clear();
    for (const name of await readdir(this.#directory)) {
      if (!/^[0-9a-f]{64}\.(part|whole)$/.test(name)) continue;
      const file = join(this.#directory, name);
      const stats = await lstat(file).catch(absent);
      if (stats !== undefined && stats.mtimeMs + this.#keepMs < now)
        await rm(file, { force: true });
    }
  }

  #file(key: string, state: "part" | "whole"): string {
    return join(this.#directory, `${key}.${state}`);
  }
}

/** Not the sender's id: this names a file here. */
function keyOf({ watchId, path, sha256 }: TransferredFile): string {
  return createHash("sha256").update(`${watchId}\0${sha256}\0`).update(path).digest("hex");
}

/** Refuses what does not add up. */
function chunkBytesOf(
  file: FileChunk["data"]["file"],
  { index, total, offset, size }: FileChunk["data"]["transfer"],
): number {
  const isLast = index === total - 1;
  const chunkBytes = isLast && index > 0 ? offset / index : size;
  const addsUp =
    size > 0 &&
    Number.isInteger(chunkBytes) &&
    index < total &&
    offset === index * chunkBytes &&
    size <= chunkBytes &&
    total === Math.ceil(file.size / chunkBytes) &&
    (!isLast || offset + size === file.size);
  if (!addsUp) throw new Refusal(422, "the chunk has no place in its file");
  return chunkBytes;
}

async function writeAll(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(absent)) !== undefined;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
