// Compresses a stream so that the same bytes always give the same bytes.
import { pipeline } from "node:stream/promises";
import { createDeflateRaw, type ZlibOptions } from "node:zlib";

/** Named one by one: what is not said is what some version of zlib thinks best. */
export const DEFLATE: ZlibOptions = { level: 6, memLevel: 8, windowBits: 15, strategy: 0 };
const PIECE_BYTES = 64 * 1024;

export async function* deflatePieces(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  const deflate = createDeflateRaw({ ...DEFLATE, chunkSize: PIECE_BYTES });
  const feeding = pipeline(evenPieces(source), deflate);
  feeding.catch(() => {}); // the loop below ends with it, and then it is asked
  try {
    for await (const piece of deflate) yield piece as Buffer;
    await feeding;
  } finally {
    deflate.destroy();
  }
}

/** However the bytes came, the compressor is given them in the same pieces; and not one by one where they are many. */
export async function* evenPieces(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of source) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < PIECE_BYTES) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; all.length - at >= PIECE_BYTES; at += PIECE_BYTES) {
      yield all.subarray(at, at + PIECE_BYTES);
    }
    held = [all.subarray(at)];
    heldBytes = all.length - at;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}
