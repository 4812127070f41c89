// Reads one file of a commit, without a checkout.
import { GitError } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { escapeOf } from "../remote/submodule-path.ts";

export interface FileWish {
  readonly commit: CommitId;
  /** From the top of the tree, with slashes. */
  readonly path: string;
  readonly maxBytes?: number | undefined;
}

const FILE_BYTES_MAX = 1024 * 1024;

/** Undefined when there is no such file; also when it is a directory, a link or a submodule. */
export async function readFileOf(
  { commit, path, maxBytes = FILE_BYTES_MAX }: FileWish,
  options: RunGitOptions,
): Promise<Buffer | undefined> {
  if (escapeOf(path) !== undefined) return undefined; // no tree has such a path
  const literal = { ...options, variables: { GIT_LITERAL_PATHSPECS: "1" } };
  const args = ["ls-tree", "-z", "--full-tree", commit, "--", path];
  const { stdout } = await runGit(args, literal);
  const [head = "", name] = stdout.toString("utf8").split("\0", 1)[0]?.split("\t") ?? [];
  const [, blob] = /^100(?:644|755) blob ([0-9a-f]{40})$/.exec(head) ?? [];
  if (blob === undefined || name !== path) return undefined;
  try {
    const reading = { ...options, maxOutputBytes: maxBytes };
    return (await runGit(["cat-file", "blob", blob], reading)).stdout;
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "too-large") throw error;
    throw new GitError("too-large", `'${path}' is larger than ${maxBytes} bytes`, error.details);
  }
}
