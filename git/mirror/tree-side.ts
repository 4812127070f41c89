// One side of a comparison: a commit, and which of its files count, by somebody's filters and its own ignore file.
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { IGNORE_BYTES_MAX, IgnoreFile } from "../filter/ignore-file.ts";
import { type FileFilters, PathFilters } from "../filter/path-filters.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { ObjectQuestions } from "./object-questions.ts";
import type { TreePlace } from "./tree-entries.ts";

export interface TreeView {
  readonly commit: CommitId;
  readonly filters?: FileFilters | undefined;
}

export interface TreeSide {
  readonly commit: CommitId;
  readonly filters: PathFilters;
  /** Two sides of the same key choose alike. */
  readonly key: string;
}

/** At the top of the tree, in the language of .gitignore. */
export const IGNORE_NAME = ".croftignore";

/** With `questions` git is started only for those that have an ignore file. */
export async function openSide(
  place: TreePlace,
  { commit, filters = {} }: TreeView,
  questions?: ObjectQuestions,
): Promise<TreeSide> {
  const [found] = (await questions?.ask([`${commit}:${IGNORE_NAME}`])) ?? [];
  const blob = found === "missing" ? undefined : await ignoreBlob(place, commit);
  const ignore = blob === undefined ? undefined : await readIgnore(place, blob);
  const { include = [], exclude = [] } = filters;
  const key = JSON.stringify([include, exclude, blob ?? ""]);
  return { commit, filters: new PathFilters(filters, ignore), key };
}

/** A file only: what a link leads to is not followed. */
async function ignoreBlob(place: TreePlace, commit: CommitId): Promise<string | undefined> {
  const args = ["ls-tree", "-z", "--full-tree", commit, "--", IGNORE_NAME];
  const { stdout } = await runGit(args, place);
  const [, blob] = /^100(?:644|755) blob ([0-9a-f]{40})\t/.exec(stdout.toString("latin1")) ?? [];
  return blob;
}

async function readIgnore(place: TreePlace, blob: string): Promise<IgnoreFile> {
  try {
    const reading = { ...place, maxOutputBytes: IGNORE_BYTES_MAX };
    return new IgnoreFile(
      (await runGit(["cat-file", "blob", blob], reading)).stdout.toString("utf8"),
    );
  } catch (error) {
    if (error instanceof GitError && error.code !== "too-large") throw error;
    const said = error instanceof GitError ? `it is larger than ${IGNORE_BYTES_MAX} bytes` : error;
    const reason = `'${IGNORE_NAME}' cannot be used: ${said instanceof Error ? said.message : said}`;
    throw new GitError("rejected", reason, { command: "cat-file" }, error);
  }
}
