// Reads archives that `write-tar` made, one entry after the other, and believes nothing that it would not write.
import { AssetError } from "./asset-error.ts";
import { BLOCK_BYTES, type TarEntry } from "./write-tar.ts";

export interface TarReader {
  /** Undefined at the end. What was not read of the entry before is passed over. */
  next(): Promise<TarEntry | undefined>;
  /** Of the entry that `next` gave. */
  contents(): AsyncGenerator<Buffer>;
}

/** A path, a link's target and a size. */
const PAX_BYTES_MAX = 64 * 1024;

export function readTar(source: AsyncIterable<Uint8Array>): TarReader {
  const bytes = new ByteReader(source);
  let leftBytes = 0;
  let paddingBytes = 0;
  const skip = async () => {
    for (; leftBytes > 0; ) leftBytes -= (await bytes.some(leftBytes)).length;
    if (paddingBytes > 0) await bytes.exactly(paddingBytes);
    paddingBytes = 0;
  };
  return {
    next: async () => {
      await skip();
      const head = await readHead(bytes);
      if (head === undefined) return undefined;
      leftBytes = head.kind === "file" ? head.sizeBytes : 0;
      paddingBytes = (BLOCK_BYTES - (leftBytes % BLOCK_BYTES)) % BLOCK_BYTES;
      return head;
    },
    contents: async function* () {
      while (leftBytes > 0) {
        const chunk = await bytes.some(leftBytes);
        leftBytes -= chunk.length;
        yield chunk;
      }
    },
  };
}

async function readHead(bytes: ByteReader): Promise<TarEntry | undefined> {
  let pax: Readonly<Record<string, string>> = {};
  for (;;) {
    const head = await bytes.exactly(BLOCK_BYTES);
    if (head.every((byte) => byte === 0)) return undefined;
    requireSum(head);
    const type = head.toString("latin1", 156, 157);
    const sizeBytes = Number.parseInt(textAt(head, 124, 12), 8);
    if (type !== "x") return entryOf(head, type, sizeBytes, pax);
    if (!(sizeBytes <= PAX_BYTES_MAX)) throw damaged("a head is too long");
    pax = paxRecords(await bytes.exactly(sizeBytes));
    await bytes.exactly((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
  }
}

function entryOf(
  head: Buffer,
  type: string,
  sizeBytes: number,
  pax: Readonly<Record<string, string>>,
): TarEntry {
  const path = (pax["path"] ?? textAt(head, 0, 100)).replace(/\/$/, "");
  const mode = Number.parseInt(textAt(head, 100, 8), 8);
  switch (type) {
    case "5":
      return { kind: "directory", path };
    case "2":
      return { kind: "link", path, target: pax["linkpath"] ?? textAt(head, 157, 100) };
    case "0": {
      const size = pax["size"] === undefined ? sizeBytes : Number(pax["size"]);
      if (!Number.isSafeInteger(size) || size < 0) throw damaged("an entry has no size");
      return { kind: "file", path, sizeBytes: size, isExecutable: (mode & 0o100) !== 0 };
    }
    default:
      throw damaged("an entry is neither a file nor a directory nor a link");
  }
}

function requireSum(head: Buffer): void {
  const said = Number.parseInt(textAt(head, 148, 8), 8);
  let sum = 8 * 32;
  for (const [index, byte] of head.entries()) if (index < 148 || index >= 156) sum += byte;
  if (sum !== said) throw damaged("a head is not what it was");
}

function paxRecords(text: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(0x20, at);
    const length = Number(text.toString("latin1", at, space));
    if (space === -1 || !Number.isSafeInteger(length) || length <= 0)
      throw damaged("a head is cut");
    const record = text.toString("utf8", space + 1, at + length - 1);
    const sign = record.indexOf("=");
    records[record.slice(0, sign)] = record.slice(sign + 1);
    at += length;
  }
  return records;
}

function textAt(head: Buffer, at: number, length: number): string {
  const field = head.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

function damaged(what: string): AssetError {
  return new AssetError("lost", `the archive of a directory is damaged: ${what}`);
}

/** A stream in pieces of the sizes that are asked for. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      const part = await this.some(missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** At least one byte, at the most so many. */
  async some(lengthMax: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) throw damaged("its end is missing");
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
    const part = this.#rest.subarray(0, lengthMax);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}
