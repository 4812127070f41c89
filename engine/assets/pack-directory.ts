// A directory that a job made, as one archive: its files, directories and links, whatever else it has put there.
import { opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { JobUser } from "@croft/git";
import { AssetError } from "./asset-error.ts";
import {
  type HostileFile,
  type OpenDirectory,
  openDirectory,
  openDirectoryInside,
  openFile,
  pathIn,
  shown,
  unsafe,
} from "./open-inside.ts";
import { padding, tarEnd, tarHead } from "./write-tar.ts";

export interface PackOptions {
  readonly signal?: AbortSignal | undefined;
}

/** By it an artifact is known to be a directory; files of jobs never get it, whatever they are called. */
export const DIRECTORY_MEDIA_TYPE = "application/x-tar";

const ENTRIES_MAX = 100_000;
/** Each level is an open directory. */
const DEPTH_MAX = 64;
const CHUNK_BYTES = 256 * 1024;

/**
 * Goes by open directories, never by paths, so that nothing that changes meanwhile leads out of it. Links are kept as
 * links, wherever they point to, and none is followed; nothing is ever below one. In order of their names.
 */
export async function* packDirectory(
  directory: HostileFile,
  { signal }: PackOptions = {},
): AsyncGenerator<Buffer> {
  const { place, owner } = await openDirectoryInside(directory);
  try {
    const packing = { owner, signal, root: directory.path, counted: { entries: 0 } };
    yield* packLevel(place, packing, []);
    yield tarEnd();
  } finally {
    await place.handle.close();
  }
}

interface Packing {
  /** For messages. */
  readonly root: string;
  readonly owner: JobUser;
  readonly signal: AbortSignal | undefined;
  readonly counted: { entries: number };
}

async function* packLevel(
  place: OpenDirectory,
  packing: Packing,
  above: readonly string[],
): AsyncGenerator<Buffer> {
  for (const { name, kind } of await entriesOf(place, packing, above)) {
    packing.signal?.throwIfAborted();
    const parts = [...above, name];
    const path = parts.join("/");
    if (kind === "link") {
      yield tarHead({ kind, path, target: await readlink(pathIn(place, name)) });
    } else if (kind === "file") {
      yield* packFile(place, name, path, packing);
    } else {
      if (parts.length > DEPTH_MAX) throw tooMuch(`it has more than ${DEPTH_MAX} levels`);
      yield tarHead({ kind, path });
      const at = [pathIn(place, name), join(place.path, name)] as const;
      const next = await openDirectory(...at, join(packing.root, path));
      try {
        yield* packLevel(next, packing, parts);
      } finally {
        await next.handle.close();
      }
    }
  }
}

async function* packFile(
  place: OpenDirectory,
  name: string,
  path: string,
  { owner, root }: Packing,
): AsyncGenerator<Buffer> {
  const named = join(root, path);
  const opened = await openFile(place, name, { path: named, owner });
  const { handle, size, isExecutable } = opened;
  try {
    yield tarHead({ kind: "file", path, sizeBytes: size, isExecutable });
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) throw unsafe(named, "became shorter while it was read");
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
    yield padding(size);
  } finally {
    await handle.close();
  }
}

interface Entry {
  readonly name: string;
  readonly kind: "directory" | "file" | "link";
}

async function entriesOf(
  place: OpenDirectory,
  { counted, root }: Packing,
  above: readonly string[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(pathIn(place, "."))) {
    const path = join(root, ...above, entry.name);
    if (++counted.entries > ENTRIES_MAX) throw tooMuch(`it has more than ${ENTRIES_MAX} entries`);
    if (entry.name.includes("\ufffd")) throw unsafe(path, "has a name that is not UTF-8");
    if (entry.isSymbolicLink()) entries.push({ name: entry.name, kind: "link" });
    else if (entry.isDirectory()) entries.push({ name: entry.name, kind: "directory" });
    else if (entry.isFile()) entries.push({ name: entry.name, kind: "file" });
    else {
      const message = `'${shown(path)}' is a pipe, socket or device: only files, directories and links can be kept`;
      throw new AssetError("not-a-file", message);
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function tooMuch(reason: string): AssetError {
  return new AssetError("too-large", `the directory is too large: ${reason}`);
}
