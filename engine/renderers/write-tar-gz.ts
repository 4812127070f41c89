// Writes files as a tar.gz that is the same on every machine.
import type { Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { padding, tarEnd, tarHead } from "../assets/write-tar.ts";
import type { ArchiveFile } from "./archive-files.ts";
import { deflatePieces, evenPieces } from "./deflate-pieces.ts";

/** No name, no time, no flags, and no word about the system that made it: zlib's own head names that. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** `modifiedAt` in seconds since 1970; `hash` takes what is in it before it is compressed. */
export async function* writeTarGz(
  files: AsyncIterable<ArchiveFile>,
  { modifiedAt, hash }: { readonly modifiedAt: number; readonly hash: Hash },
): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0;
  let bytes = 0;
  async function* summed() {
    for await (const piece of evenPieces(writeTar(files, modifiedAt))) {
      sum = crc32(piece, sum);
      bytes += piece.length;
      hash.update(piece);
      yield piece;
    }
  }
  yield GZIP_HEAD;
  yield* deflatePieces(summed());
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(sum, 0);
  tail.writeUInt32LE(bytes % 2 ** 32, 4);
  yield tail;
}

async function* writeTar(
  files: AsyncIterable<ArchiveFile>,
  modifiedAt: number,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const file of files) {
    yield tarHead({ ...file, modifiedAt });
    if (file.kind !== "file") continue;
    if (Buffer.isBuffer(file.content)) yield file.content;
    else yield* file.content;
    yield padding(file.sizeBytes);
  }
  yield tarEnd();
}
