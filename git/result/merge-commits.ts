// Merges one commit into another without a checkout, and says which files stand in the way if it cannot.
import { GitError, type GitErrorCode } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";

export type Merge =
  | { readonly kind: "clean"; readonly tree: string }
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly reason: string };

export const FILES_MAX = 1000;
const MERGE_TIMEOUT_MS = 120_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Comparing every new file with every lost one takes the square of their number; above this only exact renames count. */
const RENAMES_MAX = "2000";

/** Of the one merge, not of the disk or the repository: the others may go on. */
const ITS_OWN: readonly GitErrorCode[] = ["failed", "timeout", "too-large"];

/** The new objects go where `options` say. */
export async function mergeCommits(
  options: RunGitOptions,
  ours: CommitId,
  theirs: CommitId,
): Promise<Merge> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages", ours, theirs];
  try {
    const { stdout, stderr, exitCode } = await runGit(args, {
      ...options,
      timeoutMs: MERGE_TIMEOUT_MS,
      maxOutputBytes: OUTPUT_BYTES_MAX,
      config: [...(options.config ?? []), ["merge.renameLimit", RENAMES_MAX]],
      answers: [1],
    });
    const [tree = "", ...rest] = stdout.toString("utf8").split("\0");
    if (!isCommitId(tree)) {
      const details = { command: "merge-tree", exitCode, stderr };
      throw new GitError("failed", `git merge-tree failed: ${stderr.trim()}`, details);
    }
    return exitCode === 0 ? { kind: "clean", tree } : conflictIn(rest);
  } catch (error) {
    if (!(error instanceof GitError) || !ITS_OWN.includes(error.code)) throw error;
    return { kind: "conflict", files: [], reason: reasonOf(error) };
  }
}

function reasonOf(error: GitError): string {
  return /unrelated histories/.test(error.details.stderr ?? "")
    ? "it has no history in common with what it is to be merged into"
    : error.message;
}

/** Names up to an empty field; then messages: how many paths, the paths, the kind, the text. */
function conflictIn(fields: readonly string[]): Merge {
  const end = fields.indexOf("");
  const files = new Set(fields.slice(0, end));
  const kinds = new Set<string>();
  for (let at = end + 1; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const [, kind] = /^CONFLICT \((.*)\)$/.exec(fields[at + 1 + count] ?? "") ?? [];
    if (kind !== undefined) {
      kinds.add(kind);
      for (const path of paths) files.add(path);
    }
    at += count + 3;
  }
  const named = [...files].sort();
  const more = named.length > FILES_MAX ? `; ${named.length - FILES_MAX} more files` : "";
  const reason = `${kinds.size === 0 ? "conflict" : [...kinds].join(", ")}${more}`;
  return { kind: "conflict", files: named.slice(0, FILES_MAX), reason };
}
