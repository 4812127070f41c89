// Where two lines of history have left each other.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "../command/run-git.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";

const WALK_TIMEOUT_MS = 5 * 60_000;

/** Undefined when they have nothing in common. Of a history that is cut, see `knowsMergeBase`. */
export async function findMergeBase(
  gitDir: string,
  { one, other, signal }: { one: CommitId; other: CommitId; signal?: AbortSignal | undefined },
): Promise<CommitId | undefined> {
  const options = { gitDir, signal, timeoutMs: WALK_TIMEOUT_MS, answers: [1] };
  const { stdout, exitCode } = await runGit(["merge-base", one, other], options);
  const id = stdout.toString("latin1").trim();
  return exitCode === 0 && isCommitId(id) ? id : undefined;
}

/**
 * Whether what a cut history says is what the whole one would say. A merge can lead to an old common commit in one step and
 * to a newer one by a long way that is cut: so nothing that is not behind the found one may have been cut.
 */
export async function knowsMergeBase(
  gitDir: string,
  { one, other, signal }: { one: CommitId; other: CommitId; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const cut = cutIn(gitDir);
  if (cut.size === 0) return true;
  const base = await findMergeBase(gitDir, { one, other, signal });
  if (base === undefined) return false;
  const args = ["rev-list", one, other, `^${base}`];
  const { stdout } = await runGit(args, {
    ...{ gitDir, signal, timeoutMs: WALK_TIMEOUT_MS, maxOutputBytes: LISTED_BYTES_MAX },
  });
  return !stdout
    .toString("latin1")
    .split("\n")
    .some((id) => cut.has(id));
}

/** A million commits and more. */
const LISTED_BYTES_MAX = 64 * 1024 ** 2;

/** Commits whose parents are not there. */
function cutIn(gitDir: string): ReadonlySet<string> {
  try {
    const lines = readFileSync(join(gitDir, "shallow"), "latin1").split("\n");
    return new Set(lines.filter((line) => line !== ""));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Set();
    throw error;
  }
}
