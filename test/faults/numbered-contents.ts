// Contents of files that their number says: whoever has the number knows every byte, in any process.
import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";

const PIECE_BYTES = 32 * 1024;
/** So many numbers have the same contents: files that several share. */
const SHARED = 5;

/** Most are small, some have many pieces, some are empty. */
export function contentsOf(number: number): Buffer {
  const which = number % SHARED === 0 ? number % (4 * SHARED) : number;
  const seed = createHash("sha256").update(`contents ${which}`).digest();
  const size = which % 7 === 3 ? 0 : seed.readUInt32BE() % (which % 4 === 1 ? 3_000_000 : 50_000);
  return Buffer.alloc(size, seed);
}

export async function* piecesOf(number: number): AsyncGenerator<Uint8Array> {
  const contents = contentsOf(number);
  for (let at = 0; at < contents.length; at += PIECE_BYTES) {
    yield contents.subarray(at, at + PIECE_BYTES);
    await turn(); // so that a kill can come between
  }
}

export function hashOf(number: number): string {
  return createHash("sha256").update(contentsOf(number)).digest("hex");
}
