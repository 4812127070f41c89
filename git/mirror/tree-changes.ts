// What somebody has to be told who knows one commit and shall know another: a stream of files that went, came or changed.

import { askSizes } from "./blob-sizes.ts";
import { ObjectQuestions } from "./object-questions.ts";
import {
  type DiffEntry,
  readDiff,
  readSizedTree,
  readTree,
  type SizedEntry,
  type TreeEntry,
  type TreePlace,
} from "./tree-entries.ts";
import { openSide, type TreeSide, type TreeView } from "./tree-side.ts";

export type FileChange = FileGone | FileWritten;

export interface FileGone {
  readonly change: "deleted";
  readonly path: Buffer;
}

export interface FileWritten extends SizedEntry {
  readonly change: "created" | "updated";
  /** What a created file was called before; that name comes as a `deleted` of its own. */
  readonly previousPath?: Buffer | undefined;
}

export interface Comparison {
  /** What is known; nothing without it. */
  readonly from?: TreeView | undefined;
  readonly to: TreeView;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What is gone comes first, so that whoever applies the changes in order never meets a file where a directory has to be.
 * Each side is judged by its own filters and ignore file: a file that becomes hidden is `deleted`, one that is shown
 * again `created`. When the sides choose alike, the work grows with the difference, otherwise with the trees. Memory is
 * bounded here; git itself keeps a difference in its own.
 */
export async function* treeChanges(
  { gitDir }: { readonly gitDir: string },
  { from, to, signal }: Comparison,
): AsyncGenerator<FileChange, void, undefined> {
  const git = { gitDir, signal };
  if (from === undefined) return yield* allCreated(git, await openSide(git, to));
  // Asked for at the same time as what the sides choose: that it is of no use is seldom.
  const diff = readDiff(git, [from.commit, to.commit], ["--no-renames"]);
  const first = diff.next();
  first.catch(() => {}); // whoever takes it hears of it
  const questions = new ObjectQuestions(git);
  const place = { ...git, questions };
  try {
    const before = await openSide(place, from, questions);
    const after = await openSide(place, to, questions);
    if (before.key !== after.key) yield* byListing(place, before, after);
    else if (before.commit !== after.commit)
      yield* byDiff(place, [before, after], goneOn(first, diff));
  } finally {
    questions.close();
    await diff.return(undefined);
  }
}

async function* goneOn<T>(first: Promise<IteratorResult<T>>, rest: AsyncGenerator<T>) {
  const { value, done } = await first;
  if (done) return;
  yield value as T;
  yield* rest;
}

async function* allCreated(place: TreePlace, { commit, filters }: TreeSide) {
  for await (const entries of readSizedTree(place, commit)) {
    for (const entry of entries) {
      if (filters.selects(entry.path)) yield { ...entry, change: "created" } as const;
    }
  }
}

interface AskedPlace extends TreePlace {
  readonly questions: ObjectQuestions;
}

/** So many differences are kept, to save the second look. */
const KEPT_MAX = 1000;
/** Files with changed contents are paired by comparing each with each, and read for it. */
const ALIKE_MAX = 300;
const ALIKE_BYTES_MAX = 4 * 1024 * 1024;

async function* byDiff(
  place: AskedPlace,
  [{ commit: from }, { commit: to, filters }]: readonly [TreeSide, TreeSide],
  diff: AsyncIterable<readonly DiffEntry[]>,
) {
  const gone: TreeEntry[] = [];
  const come: TreeEntry[] = [];
  const kept: DiffEntry[] = [];
  let isKept = true;
  for await (const entries of diff) {
    for (const entry of entries) {
      if (entry.status === "D") {
        if (gone.length <= ALIKE_MAX)
          gone.push({ ...entry, blob: entry.oldBlob, mode: entry.oldMode });
        if (filters.selects(entry.path)) yield deleted(entry.path);
        continue;
      }
      if (entry.status === "A" && come.length <= ALIKE_MAX) come.push(entry);
      isKept &&= kept.length < KEPT_MAX;
      if (isKept) kept.push(entry);
    }
  }
  const flag = await renameFlag(place, gone, come);
  const isDone = isKept && flag === "--no-renames";
  const rest = isDone ? oneLot(kept) : readDiff(place, [from, to], [flag, "--diff-filter=d"]);
  yield* written(place, rest, filters);
}

/** Names that moved with the very same content are always found; changed ones only among few and small files. */
async function renameFlag(
  place: AskedPlace,
  gone: readonly TreeEntry[],
  come: readonly TreeEntry[],
) {
  if (gone.length === 0 || come.length === 0) return "--no-renames";
  if (gone.length > ALIKE_MAX || come.length > ALIKE_MAX) return "-M100%";
  const sizes = await askSizes(place.questions, [...gone, ...come]);
  return sizes.some((size) => size > ALIKE_BYTES_MAX) ? "-M100%" : "-M";
}

async function* written(
  place: AskedPlace,
  lots: AsyncIterable<readonly DiffEntry[]>,
  filters: TreeSide["filters"],
) {
  for await (const lot of lots) {
    const chosen = lot.filter(({ path }) => filters.selects(path));
    yield* withSizes(
      place,
      chosen.map(({ status, path, mode, blob, previousPath }) => ({
        ...{ path, mode, blob, change: status === "A" || status === "R" ? "created" : "updated" },
        ...(previousPath !== undefined && filters.selects(previousPath) ? { previousPath } : {}),
      })),
    );
  }
}

type Unsized = TreeEntry & { readonly change: string; readonly previousPath?: Buffer };

async function* withSizes(place: AskedPlace, changes: readonly Unsized[]) {
  const sizes = await askSizes(place.questions, changes);
  for (const [index, change] of changes.entries()) {
    yield { ...change, size: sizes[index] ?? 0 } as FileWritten;
  }
}

/** The same walk twice, because what is gone must come first and may be much. Renames are not looked for. */
async function* byListing(place: AskedPlace, before: TreeSide, after: TreeSide) {
  for await (const { path, old, now } of bothTrees(place, before, after)) {
    if (old !== undefined && now === undefined) yield deleted(path);
  }
  let lot: Unsized[] = [];
  for await (const { old, now } of bothTrees(place, before, after)) {
    if (now === undefined || (old?.blob === now.blob && old.mode === now.mode)) continue;
    lot.push({ ...now, change: old === undefined ? "created" : "updated" });
    if (lot.length < KEPT_MAX) continue;
    yield* withSizes(place, lot);
    lot = [];
  }
  yield* withSizes(place, lot);
}

interface Pair {
  readonly path: Buffer;
  readonly old: TreeEntry | undefined;
  readonly now: TreeEntry | undefined;
}

/** Both are in the order of the paths' bytes; each has only what its own side chooses. */
async function* bothTrees(
  place: TreePlace,
  before: TreeSide,
  after: TreeSide,
): AsyncGenerator<Pair> {
  const olds = new Cursor(readTree(place, before.commit), before);
  const news = new Cursor(readTree(place, after.commit), after);
  try {
    let old = await olds.next();
    let now = await news.next();
    while (old !== undefined || now !== undefined) {
      const order = old && now ? Buffer.compare(old.path, now.path) : old ? -1 : 1;
      const path = (order <= 0 ? old : now)?.path ?? Buffer.alloc(0);
      yield { path, old: order <= 0 ? old : undefined, now: order >= 0 ? now : undefined };
      if (order <= 0) old = olds.takeReady() ?? (await olds.next());
      if (order >= 0) now = news.takeReady() ?? (await news.next());
    }
  } finally {
    await olds.close();
    await news.close();
  }
}

/** One after the other out of lots. */
class Cursor {
  readonly #lots: AsyncGenerator<TreeEntry[]>;
  readonly #side: TreeSide;
  #lot: readonly TreeEntry[] = [];
  #at = 0;

  constructor(lots: AsyncGenerator<TreeEntry[]>, side: TreeSide) {
    this.#lots = lots;
    this.#side = side;
  }

  takeReady(): TreeEntry | undefined {
    while (this.#at < this.#lot.length) {
      const entry = this.#lot[this.#at++];
      if (entry !== undefined && this.#side.filters.selects(entry.path)) return entry;
    }
    return undefined;
  }

  async next(): Promise<TreeEntry | undefined> {
    for (;;) {
      const { value, done } = await this.#lots.next();
      if (done) return undefined;
      this.#lot = value;
      this.#at = 0;
      const entry = this.takeReady();
      if (entry !== undefined) return entry;
    }
  }

  async close(): Promise<void> {
    await this.#lots.return(undefined);
  }
}

function deleted(path: Buffer): FileGone {
  return { change: "deleted", path };
}

async function* oneLot(entries: readonly DiffEntry[]) {
  if (entries.length > 0) yield entries;
}
