// Writes files as a zip that is the same on every machine, as they come.
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import type { ArchiveFile } from "./archive-files.ts";
import { DEFLATE, deflatePieces } from "./deflate-pieces.ts";
import { SpilledBytes } from "./spilled-bytes.ts";
import { centralHead, localHead, sizesAfter, type ZipEntry, zipEnd } from "./zip-records.ts";

const MODES = { directory: 0o040755, link: 0o120777, plain: 0o100644, executable: 0o100755 };
/** Compressed it may become a little larger, so not quite what fits. */
const LARGE_BYTES = 0xf0000000;
const SLASH = Buffer.from("/");
const compress = promisify<Buffer, typeof DEFLATE, Buffer>(deflateRaw);

/**
 * `directory`: the file that what is said of each at the end is kept in until then, because it may be more than a memory
 * takes. Nothing may be there; it is gone afterwards.
 */
export async function* writeZip(
  files: AsyncIterable<ArchiveFile>,
  { modifiedAt, directory }: { readonly modifiedAt: number; readonly directory: string },
): AsyncGenerator<Buffer, void, undefined> {
  const central = await SpilledBytes.open(directory);
  try {
    let [count, offset] = [0, 0];
    for await (const file of files) {
      const writing = writeEntry(file, { offset, modifiedAt });
      let step = await writing.next();
      for (; step.done !== true; step = await writing.next()) {
        offset += step.value.length;
        yield step.value;
      }
      await central.add(centralHead(step.value, modifiedAt));
      count++;
    }
    yield* central.read();
    yield zipEnd(count, central.sizeBytes, offset);
  } finally {
    await central.remove();
  }
}

interface Place {
  readonly offset: number;
  readonly modifiedAt: number;
}

async function* writeEntry(
  file: ArchiveFile,
  { offset, modifiedAt }: Place,
): AsyncGenerator<Buffer, ZipEntry, undefined> {
  const about = { offset, ...nameOf(file), isStreamed: false, isLarge: false };
  if (file.kind === "file" && !Buffer.isBuffer(file.content)) {
    return yield* writeStreamed(about, file.sizeBytes, file.content, modifiedAt);
  }
  const raw = rawOf(file);
  const packed = raw.length === 0 || file.kind !== "file" ? raw : await compress(raw, DEFLATE);
  const isDeflated = packed.length < raw.length;
  const bytes = isDeflated ? packed : raw;
  const sizes = { sum: crc32(raw), sizeBytes: raw.length, packedBytes: bytes.length };
  const entry: ZipEntry = { ...about, ...sizes, isDeflated };
  yield localHead(entry, modifiedAt);
  yield bytes;
  return entry;
}

async function* writeStreamed(
  about: Pick<ZipEntry, "path" | "mode" | "offset">,
  sizeBytes: number,
  content: AsyncIterable<Buffer>,
  modifiedAt: number,
): AsyncGenerator<Buffer, ZipEntry, undefined> {
  const isLarge = sizeBytes >= LARGE_BYTES;
  const known = { ...about, isLarge, sizeBytes, isStreamed: true, isDeflated: true };
  let sum = 0;
  let packedBytes = 0;
  async function* summed() {
    for await (const piece of content) {
      sum = crc32(piece, sum);
      yield piece;
    }
  }
  yield localHead({ ...known, sum, packedBytes }, modifiedAt);
  for await (const piece of deflatePieces(summed())) {
    packedBytes += piece.length;
    yield piece;
  }
  const entry = { ...known, sum, packedBytes };
  yield sizesAfter(entry);
  return entry;
}

function nameOf(file: ArchiveFile): Pick<ZipEntry, "path" | "mode"> {
  if (file.kind === "directory") {
    return { path: Buffer.concat([file.path, SLASH]), mode: MODES.directory };
  }
  if (file.kind === "link") return { path: file.path, mode: MODES.link };
  return { path: file.path, mode: file.isExecutable ? MODES.executable : MODES.plain };
}

function rawOf(file: ArchiveFile): Buffer {
  if (file.kind === "link") return file.target;
  return file.kind === "file" && Buffer.isBuffer(file.content) ? file.content : Buffer.alloc(0);
}
