// The bodies of messages, made anew for every try from the same row and the same blobs: so they are the same every time.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import {
  CHUNK_BYTES,
  chunkCount,
  type DeliveryFile,
  hasContent,
  isLarge,
} from "./delivery-files.ts";

/** A delivery with what its body tells of its watch and sync. */
export interface MessageRow {
  readonly id: string;
  readonly type: string;
  readonly created_at: Date;
  readonly files: readonly DeliveryFile[] | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly message: number;
  readonly watch: { readonly id: string; readonly url: string; readonly ref: string } | null;
  readonly sync: {
    readonly id: string;
    readonly from_commit: string | null;
    readonly to_commit: string;
    readonly is_resync: boolean;
    readonly is_reset: boolean;
    readonly messages: number;
    readonly number: number;
  } | null;
}

/** The content of blobs, from the mirror of the watched repository. */
export interface Contents {
  read(blob: string): Promise<Buffer>;
  /** In pieces, for those that are large. */
  stream(blob: string): AsyncIterable<Buffer>;
}

export interface Message {
  readonly id: string;
  readonly body: Buffer;
}

export async function makeMessage(row: MessageRow, contents: Contents): Promise<Message> {
  const data = row.files === null ? plainData(row) : await filesData(row, row.files, contents);
  return { id: messageId(row), body: bodyOf(row, row.type, data) };
}

export function messageId({ id }: Pick<MessageRow, "id">, chunk?: number): string {
  return chunk === undefined ? `msg_${id}` : `msg_${id}_${chunk}`;
}

function bodyOf({ created_at }: MessageRow, type: string, data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: created_at.toISOString(), data }));
}

function plainData({ data, watch }: MessageRow): Record<string, unknown> {
  return { ...(watch === null ? {} : { watch }), ...data };
}

async function filesData(row: MessageRow, files: readonly DeliveryFile[], contents: Contents) {
  const { watch, sync, message } = row;
  // At once: they are small together, and one after the other each would wait for the way to git and back.
  const told = await Promise.all(files.map((file) => withContent(file, contents)));
  return {
    watch,
    commit: sync?.to_commit,
    previous_commit: sync?.from_commit ?? null,
    sync: {
      ...{ id: sync?.id, number: sync?.number },
      ...{ resync: sync?.is_resync, reset: sync?.is_reset },
      ...{ messages: sync?.messages, message },
    },
    files: told,
  };
}

async function withContent(file: DeliveryFile, contents: Contents): Promise<object> {
  if (!hasContent(file) || file.blob === undefined) return file;
  if (isLarge(file)) return { ...file, sha256: await hashOf(file.blob, contents), chunked: true };
  const content = await contents.read(file.blob);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { ...file, sha256, ...encodedContent(content) };
}

/** Text as text, unless it is full of characters that JSON writes long. */
function encodedContent(content: Buffer) {
  if (isUtf8(content)) {
    const text = content.toString("utf8");
    const written = Buffer.byteLength(JSON.stringify(text));
    if (written <= 1.34 * content.length + 100) return { content: text, encoding: "utf-8" };
  }
  return { content: content.toString("base64"), encoding: "base64" };
}

/** The pieces of a large file from this one on, in one reading: to begin anew for each would take hours. */
export async function* makeChunks(
  row: MessageRow,
  contents: Contents,
  from: number,
): AsyncGenerator<Message & { readonly index: number }> {
  const [file] = row.files ?? [];
  const { watch, sync } = row;
  if (file?.blob === undefined || watch === null) throw new Error("only a large file has chunks");
  const sha256 = await hashOf(file.blob, contents);
  const id = transferId(watch.id, file.path, sha256);
  const total = chunkCount([file]);
  let index = 0;
  for await (const piece of inPieces(contents.stream(file.blob))) {
    if (index >= from) {
      const place = { id, index, total, offset: index * CHUNK_BYTES, size: piece.length };
      const transfer = { ...place, sha256: createHash("sha256").update(piece).digest("hex") };
      const data = { watch, commit: sync?.to_commit, file: { ...file, sha256 }, transfer };
      const content = piece.toString("base64");
      const body = bodyOf(row, "file.chunk", { ...data, content });
      yield { id: messageId(row, index), body, index };
    }
    index++;
  }
}

async function* inPieces(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let size = 0;
  for await (const part of parts) {
    kept.push(Buffer.from(part));
    size += part.length;
    while (size >= CHUNK_BYTES) {
      const all = Buffer.concat(kept);
      yield all.subarray(0, CHUNK_BYTES);
      kept = [all.subarray(CHUNK_BYTES)];
      size -= CHUNK_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(kept);
}

/** The same when it is begun again, so that whoever has a part of it can keep it. */
function transferId(watchId: string, path: string, sha256: string): string {
  const hash = createHash("sha256").update(`${watchId}\0${path}\0${sha256}`).digest("hex");
  return `xfer_${hash.slice(0, 32)}`;
}

/** A blob never changes: its hash is found out once. */
const hashes = new Map<string, string>();
const HASHES_MAX = 1000;

async function hashOf(blob: string, contents: Contents): Promise<string> {
  const known = hashes.get(blob);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for await (const part of contents.stream(blob)) hash.update(part);
  const found = hash.digest("hex");
  if (hashes.size >= HASHES_MAX) hashes.clear();
  hashes.set(blob, found);
  return found;
}
