// Bytes that are kept for later in a file, because nobody knows how many they will be.
import { type FileHandle, open, rm } from "node:fs/promises";

const PIECE_BYTES = 64 * 1024;

/** To be removed in any case. */
export class SpilledBytes {
  readonly #path: string;
  readonly #file: FileHandle;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #sizeBytes = 0;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Nothing may be at `path`. */
  static async open(path: string): Promise<SpilledBytes> {
    return new SpilledBytes(path, await open(path, "wx+", 0o600));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async add(bytes: Buffer): Promise<void> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#sizeBytes += bytes.length;
    if (this.#heldBytes >= PIECE_BYTES) await this.#write();
  }

  /** All of them, from the first. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    await this.#write();
    for (let at = 0; at < this.#sizeBytes; ) {
      const { bytesRead, buffer } = await this.#file.read({
        buffer: Buffer.allocUnsafe(PIECE_BYTES),
        position: at,
      });
      if (bytesRead === 0)
        throw new Error(`'${this.#path}' is shorter than what was written to it`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async remove(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    await this.#file.appendFile(bytes);
  }
}
