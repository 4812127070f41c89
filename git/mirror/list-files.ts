// The files of a commit, page by page, and one of them by its name.
import { readSizedTree, type SizedEntry, type TreePlace } from "./tree-entries.ts";
import { openSide, type TreeView } from "./tree-side.ts";

export interface FileListing extends TreeView {
  /** The last path of the page before. */
  readonly after?: Buffer | undefined;
  readonly limit: number;
}

export interface FilePage {
  readonly files: readonly SizedEntry[];
  /** Whether others come after the last one. */
  readonly hasMore: boolean;
}

/** In the order of the paths' bytes. */
export async function listFiles(place: TreePlace, listing: FileListing): Promise<FilePage> {
  const { after, limit, commit } = listing;
  const { filters } = await openSide(place, listing);
  const files: SizedEntry[] = [];
  for await (const entries of readSizedTree(place, commit)) {
    for (const entry of entries) {
      const isBefore = after !== undefined && Buffer.compare(entry.path, after) <= 0;
      if (isBefore || !filters.selects(entry.path)) continue;
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
  const { filters } = await openSide(place, view);
  if (path.length === 0 || !filters.selects(path)) return undefined;
  for await (const entries of readSizedTree(place, view.commit)) {
    const found = entries.find((entry) => entry.path.equals(path));
    if (found !== undefined) return found;
  }
  return undefined;
}
