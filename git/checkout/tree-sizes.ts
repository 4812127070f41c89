// Remembers how large the trees of commits are: they never change, and many workspaces begin at the same one.
import type { CommitId } from "../remote/commit-id.ts";
import { measureTree, type TreeLimits, type TreeSize } from "./measure-tree.ts";

const KNOWN_MAX = 1000;

export class TreeSizes {
  readonly #limits: TreeLimits | undefined;
  readonly #known = new Map<CommitId, TreeSize>();

  /** What is larger than these is refused, and not remembered. */
  constructor(limits: TreeLimits | undefined) {
    this.#limits = limits;
  }

  async measure(gitDir: string, commit: CommitId): Promise<TreeSize> {
    const size = this.#known.get(commit) ?? (await measureTree(gitDir, commit, this.#limits));
    this.#known.delete(commit); // the one asked for last becomes the youngest
    this.#known.set(commit, size);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return size;
  }
}
