// Writes a stream into an open file: so many bytes and no more, while the disk has room, hashed on the way.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { AssetError } from "./asset-error.ts";
import type { StageOptions } from "./asset-store.ts";
import type { GrowingRoom } from "./disk-reserve.ts";

export interface WriteOptions extends StageOptions {
  readonly room: GrowingRoom;
}

export interface WrittenBytes {
  readonly sha256: string;
  readonly bytes: number;
}

export async function writeWhole(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, room, signal }: WriteOptions,
): Promise<WrittenBytes> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      await room.growTo(bytes);
      const writing = writeAll(file, chunk);
      hash.update(chunk); // meanwhile
      await writing;
    }
  } finally {
    room.end();
  }
  signal?.throwIfAborted();
  return { sha256: hash.digest("hex"), bytes };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    at += (await file.write(chunk, at, chunk.length - at)).bytesWritten;
  }
}

export function tooLarge(maxBytes: number): AssetError {
  return new AssetError("too-large", `the file is larger than ${maxBytes} bytes`);
}
