// The files of a commit in the order of an archive, with their contents: small ones ahead of time, large ones as streams.
import { setMaxListeners } from "node:events";
import { type ExportAttributes, isAttributesFile, type SizedEntry, stagingPlace } from "@croft/git";
import { JobFailure } from "../jobs/job-failure.ts";
import { commitTree } from "./commit-tree.ts";
import type { OpenedCommit } from "./open-commit.ts";

export type ArchiveFile = {
  /** Below the archive's own top directory; any bytes but NUL. */
  readonly path: Buffer;
} & (
  | { readonly kind: "directory" }
  | { readonly kind: "link"; readonly target: Buffer }
  | {
      readonly kind: "file";
      readonly isExecutable: boolean;
      readonly sizeBytes: number;
      /** All of it, or pieces that have to be read to their end. */
      readonly content: Buffer | AsyncIterable<Buffer>;
    }
);

export interface ArchiveSize {
  readonly files: number;
  readonly bytes: number;
  /** Whether attributes have to be looked at. */
  readonly hasAttributes: boolean;
}

interface Selection {
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
}

const SMALL_BYTES = 1024 * 1024;
/** So much is read ahead: enough that git and we do not wait for each other. */
const AHEAD_BYTES_MAX = 8 * 1024 * 1024;
const AHEAD_MAX = 64;
/** Of entries whose attributes are asked for in one question, and of their paths. */
const LOT = 20_000;
const LOT_BYTES = 4 * 1024 * 1024;
const MODES = { directory: "040000", submodule: "160000", link: "120000", executable: "100755" };
const SLASH = 0x2f;

/** Refuses a path that the commit does not have: an archive without it would look complete. */
export async function measureArchive(
  opened: OpenedCommit,
  { paths, signal }: Selection,
): Promise<ArchiveSize> {
  const wanted = paths.map((path) => Buffer.from(path));
  const missing = new Set(wanted);
  let [files, bytes, hasAttributes] = [0, 0, false];
  for await (const entries of commitTree(opened, { signal, withDirectories: true, paths })) {
    for (const { path, mode, size } of entries) {
      for (const want of missing) if (want.equals(path)) missing.delete(want);
      hasAttributes ||= isAttributesFile(path);
      if (mode === MODES.directory) continue;
      files++;
      bytes += size;
    }
  }
  const [first] = missing;
  if (first !== undefined) {
    throw new JobFailure(
      "invalid",
      "no-such-path",
      `the commit has no '${first.toString("utf8")}'`,
    );
  }
  return { files, bytes, hasAttributes: hasAttributes || paths.length > 0 }; // they may lie above the paths
}

/** Without those that the commit's attributes leave out of archives. Submodules are empty directories. */
export async function* archiveFiles(
  opened: OpenedCommit,
  selection: Selection & Pick<ArchiveSize, "hasAttributes">,
): AsyncGenerator<ArchiveFile, void, undefined> {
  const { git, remote, commit } = opened;
  const { paths, hasAttributes } = selection;
  const signal = AbortSignal.any([selection.signal]);
  setMaxListeners(2 * AHEAD_MAX, signal); // all that are read ahead listen to it
  const tree = commitTree(opened, { signal, withDirectories: true, paths });
  if (!hasAttributes) {
    yield* withContents(opened, tree, signal);
    return;
  }
  const directory = stagingPlace(git.directories, "archive");
  const attributes = await git.contents.exportAttributes(remote, commit, {
    directory,
    paths,
    signal,
  });
  try {
    yield* withContents(opened, withoutLeftOut(inLots(tree), attributes), signal);
  } finally {
    await attributes.close();
  }
}

async function* inLots(tree: AsyncIterable<SizedEntry[]>): AsyncGenerator<SizedEntry[]> {
  let lot: SizedEntry[] = [];
  let lotBytes = 0;
  for await (const entries of tree) {
    lot.push(...entries);
    lotBytes += entries.reduce((sum, { path }) => sum + path.length, 0);
    if (lot.length < LOT && lotBytes < LOT_BYTES) continue;
    yield lot;
    lot = [];
    lotBytes = 0;
  }
  if (lot.length > 0) yield lot;
}

/** A directory comes before what is in it: with it all of that goes. */
async function* withoutLeftOut(
  tree: AsyncIterable<SizedEntry[]>,
  attributes: ExportAttributes,
): AsyncGenerator<SizedEntry[]> {
  let gone: Buffer | undefined;
  for await (const entries of tree) {
    const leftOut = await attributes.areLeftOut(entries);
    yield entries.filter(({ path, mode }, index) => {
      if (gone !== undefined && isBelow(path, gone)) return false;
      if (leftOut[index] !== true) return true;
      if (mode === MODES.directory) gone = path;
      return false;
    });
  }
}

interface Ahead {
  readonly entry: SizedEntry;
  readonly content: Promise<Buffer> | undefined;
}

async function* withContents(
  opened: OpenedCommit,
  tree: AsyncIterable<SizedEntry[]>,
  signal: AbortSignal,
): AsyncGenerator<ArchiveFile, void, undefined> {
  const { git, remote } = opened;
  const ahead: Ahead[] = [];
  let aheadBytes = 0;
  const take = async (): Promise<ArchiveFile | undefined> => {
    const next = ahead.shift();
    if (next === undefined) return undefined;
    if (next.content !== undefined) aheadBytes -= next.entry.size;
    return await fileOf(opened, next, signal);
  };
  for await (const entries of tree) {
    for (const entry of entries) {
      const isSmall = hasContent(entry) && entry.size <= SMALL_BYTES;
      const content = isSmall ? git.contents.readBlob(remote, entry.blob, { signal }) : undefined;
      content?.catch(() => {}); // told to whoever takes it, if anybody still does
      ahead.push({ entry, content });
      if (isSmall) aheadBytes += entry.size;
      while (ahead.length > AHEAD_MAX || aheadBytes > AHEAD_BYTES_MAX) {
        const file = await take();
        if (file !== undefined) yield file;
      }
    }
  }
  for (let file = await take(); file !== undefined; file = await take()) yield file;
}

async function fileOf(
  { git, remote }: OpenedCommit,
  { entry, content }: Ahead,
  signal: AbortSignal,
): Promise<ArchiveFile> {
  const { path, mode, blob, size: sizeBytes } = entry;
  if (!hasContent(entry)) return { kind: "directory", path };
  const bytes = content === undefined ? undefined : await content;
  if (mode === MODES.link) {
    if (bytes === undefined) throw new JobFailure("invalid", "odd-link", "a link is too long");
    return { kind: "link", path, target: bytes };
  }
  const isExecutable = mode === MODES.executable;
  const pieces = bytes ?? git.contents.streamBlob(remote, blob, { signal });
  return { kind: "file", path, isExecutable, sizeBytes, content: pieces };
}

function hasContent({ mode }: SizedEntry): boolean {
  return mode !== MODES.directory && mode !== MODES.submodule;
}

function isBelow(path: Buffer, directory: Buffer): boolean {
  return path[directory.length] === SLASH && path.subarray(0, directory.length).equals(directory);
}
