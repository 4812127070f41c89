// Counts what a checkout would write, before it is written: a small repository can hold a very large tree.
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";

export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
}

export const DEFAULT_TREE_LIMITS: TreeLimits = { files: 500_000, bytes: 50 * 1024 ** 3 };

/** A block of the filesystem; small files cost one each. */
export const BLOCK_BYTES = 4096;
/** About what one entry of git's index takes. */
export const INDEX_ENTRY_BYTES = 100;
const LISTING_BYTES_PER_FILE = 16;

/** Counts with the sizes only: names are not needed and may be long. */
export async function measureTree(
  gitDir: string,
  commit: CommitId,
  limits: TreeLimits = DEFAULT_TREE_LIMITS,
): Promise<TreeSize> {
  const args = ["ls-tree", "-r", "--format=%(objectsize)", commit];
  const maxOutputBytes = (limits.files + 1) * LISTING_BYTES_PER_FILE;
  const { stdout } = await runGit(args, { gitDir, maxOutputBytes }).catch((error: unknown) => {
    throw error instanceof GitError && error.code === "too-large"
      ? tooLarge(`more than ${limits.files} files`)
      : error;
  });
  const size = sumSizes(stdout);
  requireWithin(size, limits);
  return size;
}

const LINE_END = 10;
const ZERO = 48;

/** Lines of digits, or of a dash for a submodule, which has no size. Byte by byte: a tree has very many lines. */
function sumSizes(listing: Buffer): TreeSize {
  let files = 0;
  let bytes = 0;
  let sizeBytes = 0;
  for (let at = 0; at < listing.length; at++) {
    const byte = listing[at] ?? 0;
    if (byte === LINE_END) {
      files++;
      bytes += bytesOnDisk(sizeBytes);
      sizeBytes = 0;
    } else if (byte >= ZERO) {
      sizeBytes = sizeBytes * 10 + (byte - ZERO);
    }
  }
  return { files, bytes };
}

/** How many files a tree has; undefined when they are more than `max`: counting ends there, and takes next to no memory. */
export async function countFiles(
  gitDir: string,
  commit: CommitId,
  max: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  try {
    const args = ["ls-tree", "-r", "--format=", commit]; // an empty line each
    const { stdout } = await runGit(args, { gitDir, maxOutputBytes: max, signal });
    return stdout.length;
  } catch (error) {
    if (error instanceof GitError && error.code === "too-large") return undefined;
    throw error;
  }
}

/** Of one file, with its place in the index. */
export function bytesOnDisk(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES + INDEX_ENTRY_BYTES;
}

export function requireWithin(
  { files, bytes }: TreeSize,
  limits: TreeLimits = DEFAULT_TREE_LIMITS,
): void {
  if (files > limits.files) throw tooLarge(`${files} files, where ${limits.files} are allowed`);
  if (bytes > limits.bytes) throw tooLarge(`${bytes} bytes, where ${limits.bytes} are allowed`);
}

function tooLarge(what: string): GitError {
  return new GitError("too-large", `the tree is refused: it has ${what}`, { command: "ls-tree" });
}
