// A zip is written without keeping what it has to say at its end in memory.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import type { ArchiveFile } from "./archive-files.ts";
import { writeZip } from "./write-zip.ts";

async function* files(count: number): AsyncGenerator<ArchiveFile> {
  for (let number = 0; number < count; number++) {
    yield { kind: "directory", path: Buffer.from(`${number}-${"n".repeat(1000)}`) };
  }
}

test("the directory at the end is kept in a file, which is gone afterwards", async () => {
  const directory = join(await scratchDirectory(), "central");
  const count = 2000;
  let [bytes, seen] = [0, 0];
  let last: Buffer = Buffer.alloc(0);
  for await (const piece of writeZip(files(count), { modifiedAt: 1_700_000_000, directory })) {
    seen = Math.max(seen, statSync(directory).size);
    bytes += piece.length;
    last = piece;
  }
  expect(existsSync(directory)).toBe(false);
  const [size, offset] = [last.readUInt32LE(12), last.readUInt32LE(16)];
  expect(last.readUInt16LE(10)).toBe(count);
  expect(offset + size + last.length).toBe(bytes);
  expect(seen).toBe(size);
});

test("a reader who leaves early leaves nothing behind", async () => {
  const root = await scratchDirectory();
  const options = { modifiedAt: 1_700_000_000, directory: join(root, "central") };
  for await (const _ of writeZip(files(10), options)) break;
  expect(readdirSync(root)).toEqual([]);
});
