// A work tree of nothing but `.gitattributes`: without one, git merges files as text that it is told not to merge.
import { chownSync } from "node:fs";
import { join } from "node:path";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { removeTree } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";

const ATTRIBUTES = ":(top,glob)**/.gitattributes";

/** Options of a merge into a commit: with its rules of what is binary, or merged line by line without a conflict. */
export class MergeAttributes {
  readonly #options: RunGitOptions;
  readonly #place: string;
  #commit: CommitId | undefined;

  /** `place` is a directory of ours in which git may write. */
  constructor(options: RunGitOptions, place: string) {
    this.#options = options;
    this.#place = place;
  }

  async of(commit: CommitId): Promise<RunGitOptions> {
    if (this.#commit === undefined || (await this.#haveChanged(this.#commit, commit))) {
      await this.#write(commit);
    }
    this.#commit = commit;
    const tree = join(this.#place, "attributes");
    return { ...this.#options, workTree: tree, cwd: tree };
  }

  async #haveChanged(from: CommitId, to: CommitId): Promise<boolean> {
    const args = ["diff-tree", "-r", "--name-only", "--no-renames", from, to, "--", ATTRIBUTES];
    return from !== to && (await runGit(args, this.#options)).stdout.length > 0;
  }

  /** By git, which knows the names that lead out of a tree. There are no filters: the configuration is ours. */
  async #write(commit: CommitId): Promise<void> {
    const tree = join(this.#place, "attributes");
    await removeTree(tree);
    await makeDirectories(tree, 0o700);
    const { uid, gid } = this.#options;
    if (uid !== undefined && gid !== undefined) chownSync(tree, uid, gid);
    const options = {
      ...this.#options,
      ...{ workTree: tree, cwd: tree },
      variables: { ...this.#options.variables, GIT_INDEX_FILE: join(this.#place, "index") },
    };
    await runGit(["read-tree", commit], options);
    const { stdout } = await runGit(["ls-files", "-z", "--", ATTRIBUTES], options);
    if (stdout.length === 0) return;
    await runGit(["checkout-index", "-f", "-z", "--stdin"], { ...options, input: stdout });
  }
}
