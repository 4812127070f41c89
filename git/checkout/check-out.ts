// Writes the files of a commit into a fresh checkout, with as many workers as there are cores.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { JobUser } from "../sandbox/job-user.ts";

const TIMEOUT_MS = 15 * 60_000;

export interface CheckoutPlace {
  readonly path: string;
  readonly owner: JobUser | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** As the user of the jobs, so that the files are theirs, and hostile content meets nobody with more rights. */
export function checkoutOptions({ path, owner, signal }: CheckoutPlace): RunGitOptions {
  return {
    gitDir: join(path, ".git"),
    workTree: path,
    cwd: path,
    uid: owner?.uid,
    gid: owner?.gid,
    timeoutMs: TIMEOUT_MS,
    signal,
    config: [
      ["checkout.workers", String(availableParallelism())],
      ["checkout.thresholdForParallelism", "100"],
      ["core.fsync", "none"], // templates are synced as a whole, workspaces never: they end with the job
    ],
  };
}

export async function checkOut(
  place: CheckoutPlace,
  commit: CommitId,
  sparse: readonly string[] = [],
): Promise<void> {
  const options = checkoutOptions(place);
  if (sparse.length > 0) {
    const patterns = sparse.map((pattern) => `${pattern}\n`).join("");
    await runGit(["sparse-checkout", "set", "--cone", "--stdin"], { ...options, input: patterns });
  }
  // `reset` moves no branch: HEAD stands there already. Unlike `checkout` it knows no path it could mistake the id for.
  await runGit(["reset", "--quiet", "--hard", commit], options);
}
