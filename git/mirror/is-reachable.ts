// Whether a mirror has a commit: complete, and for those who may see only some tips, reachable from one of them.
import { statSync } from "node:fs";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";

const WALK_TIMEOUT_MS = 5 * 60_000;

/**
 * With all that belongs to it. That the object is there says little: a fetch that was killed, or that a remote cut short,
 * leaves objects without what they point to.
 */
export async function hasCommit(
  { gitDir }: { readonly gitDir: string },
  commit: CommitId,
  signal?: AbortSignal,
): Promise<boolean> {
  return await whileThere(gitDir, async () => {
    if ((await typesOf(gitDir, [commit], signal)).get(commit) !== "commit") return false;
    const args = ["rev-list", "--objects", "--quiet", commit, "--not", "--all"];
    const options = { gitDir, signal, timeoutMs: WALK_TIMEOUT_MS, answers: [128] };
    return (await runGit(args, options)).exitCode === 0;
  });
}

/** Never by mere presence: the mirror also has what other credentials may see, and what nobody sees any more. */
export async function isReachable(
  { gitDir }: { readonly gitDir: string },
  commit: CommitId,
  tips: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  return await whileThere(gitDir, async () => {
    const types = await typesOf(gitDir, [commit, ...tips], signal);
    const known = tips.filter((tip) => ["commit", "tag"].includes(types.get(tip) ?? ""));
    if (types.get(commit) !== "commit" || known.length === 0) return false;
    const input = [commit, ...known.map((tip) => `^${tip}`)].map((line) => `${line}\n`).join("");
    const args = ["rev-list", "--max-count=1", "--stdin"];
    const { stdout } = await runGit(args, { gitDir, input, signal, timeoutMs: WALK_TIMEOUT_MS });
    return stdout.length === 0;
  });
}

/** A mirror that was taken away while it was looked at has nothing; that is no damage. */
async function whileThere(gitDir: string, look: () => Promise<boolean>): Promise<boolean> {
  const place = statSync(gitDir, { throwIfNoEntry: false })?.ino;
  if (place === undefined) return false;
  try {
    return await look();
  } catch (error) {
    const isGone = statSync(gitDir, { throwIfNoEntry: false })?.ino !== place;
    if (!isGone || !(error instanceof GitError) || error.code === "aborted") throw error;
    return false;
  }
}

/** Those that are there, by id. Ids only: any other name would be looked up as a ref of the mirror's. */
async function typesOf(
  gitDir: string,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const input = ids.filter(isCommitId).map((id) => `${id}\n`);
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const { stdout } = await runGit(args, { gitDir, signal, input: input.join("") });
  const lines = stdout.toString("utf8").split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.split(" ")[1] ?? ""]));
}
