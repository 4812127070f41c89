// The files of a commit, page by page, and one of them by its name.
import { isUtf8 } from "node:buffer";
import { blobSizes } from "./blob-sizes.ts";
import {
  readSizedEntry,
  readTree,
  type SizedEntry,
  type TreeEntry,
  type TreePlace,
} from "./tree-entries.ts";
import { openSide, type TreeView } from "./tree-side.ts";

export interface FileListing extends TreeView {
  /** The last path of the page before. */
  readonly after?: Buffer | undefined;
  /** Only those, of what the filters choose. */
  readonly where?: ((path: Buffer) => boolean) | undefined;
  readonly limit: number;
}

export interface FilePage {
  readonly files: readonly SizedEntry[];
  /** Whether others come after the last one. */
  readonly hasMore: boolean;
}

/** In the order of the paths' bytes. The names of all are looked at, the sizes only of those that are on the page. */
export async function listFiles(place: TreePlace, listing: FileListing): Promise<FilePage> {
  const { files, hasMore } = await chooseFiles(place, listing);
  const sizes = await blobSizes(place, files);
  return { files: files.map((file, index) => ({ ...file, size: sizes[index] ?? 0 })), hasMore };
}

async function chooseFiles(place: TreePlace, listing: FileListing) {
  const { after, where = () => true, limit, commit } = listing;
  const { filters } = await openSide(place, listing);
  const files: TreeEntry[] = [];
  for await (const entries of readTree(place, commit)) {
    for (const entry of entries) {
      const isBefore = after !== undefined && Buffer.compare(entry.path, after) <= 0;
      if (isBefore || !where(entry.path) || !filters.selects(entry.path)) continue;
      if (files.length >= limit) return { files, hasMore: true };
      files.push(entry);
    }
  }
  return { files, hasMore: false };
}

/** Undefined when the view has no such file. */
export async function findFile(
  place: TreePlace,
  view: TreeView,
  path: Buffer,
): Promise<SizedEntry | undefined> {
  if (!isPath(path)) return undefined;
  const { filters } = await openSide(place, view);
  if (!filters.selects(path)) return undefined;
  if (isUtf8(path)) return await readSizedEntry(place, view.commit, path.toString("utf8"));
  // Git is given names as text only: the others are looked for.
  for await (const entries of readTree(place, view.commit)) {
    const found = entries.find((entry) => entry.path.equals(path));
    if (found !== undefined) return { ...found, size: (await blobSizes(place, [found]))[0] ?? 0 };
  }
  return undefined;
}

/** As git has them in trees: what it would understand in another way is the path of no file. */
function isPath(path: Buffer): boolean {
  const parts = path.toString("latin1").split("/");
  return !path.includes(0) && !parts.some((part) => ["", ".", ".."].includes(part));
}
