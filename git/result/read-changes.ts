// Which files differ between two commits.
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";

export interface ResultChange {
  readonly path: string;
  readonly isRemoved: boolean;
}

const OUTPUT_BYTES_MAX = 64 * 1024 ** 2;

/** A renamed file is one that is gone and one that is new. */
export async function readChanges(
  options: RunGitOptions,
  { from, to }: { readonly from: CommitId; readonly to: CommitId },
): Promise<ResultChange[]> {
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--no-renames",
    "--no-commit-id",
    "--name-status",
    from,
    to,
  ];
  const { stdout } = await runGit(args, { ...options, maxOutputBytes: OUTPUT_BYTES_MAX });
  const parts = stdout.toString("utf8").split("\0");
  const changes: ResultChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    changes.push({ path: parts[at + 1] ?? "", isRemoved: parts[at] === "D" });
  }
  return changes;
}
