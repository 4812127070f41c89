// Works on an owner's results without writing into them: new objects lie in staging until somebody moves them in.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { ResultRepository } from "./result-repository.ts";
import { MODEST, prepareQuarantine, quotedPath } from "./take-in.ts";

export interface Quarantine {
  /** Ours alone; gone when the work has ended. */
  readonly place: string;
  /** Of a git that reads the results and writes into `place`. */
  readonly options: RunGitOptions;
}

const PACK_TIMEOUT_MS = 10 * 60_000;

/** A kill leaves something in staging, which the sweep removes, and nothing in the results. */
export async function inQuarantine<T>(
  directories: GitDirectories,
  results: ResultRepository,
  work: (quarantine: Quarantine) => Promise<T>,
): Promise<T> {
  const place = stagingPlace(directories, "quarantine");
  try {
    await mkdir(place, { mode: 0o700 });
    prepareQuarantine(place);
    const variables = {
      ...MODEST,
      GIT_OBJECT_DIRECTORY: join(place, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(results.gitDir, "objects")),
    };
    return await work({ place, options: { gitDir: results.gitDir, variables } });
  } catch (error) {
    throw asDiskError(error);
  } finally {
    await removeTree(place);
  }
}

export function packsIn(place: string): string {
  return join(place, "objects/pack");
}

/** One pack of all that a commit has and the others have not: whole, so that it can be read without them. */
export async function packInto(
  { place, options }: Quarantine,
  commit: CommitId,
  without: readonly CommitId[],
  signal?: AbortSignal,
): Promise<void> {
  const flags = ["--revs", "--quiet", "--delta-base-offset", "--no-use-bitmap-index"];
  const input = [commit, ...without.map((id) => `^${id}`)].map((line) => `${line}\n`).join("");
  await runGit(["pack-objects", ...flags, join(packsIn(place), "pack")], {
    ...options,
    ...{ input, signal, timeoutMs: PACK_TIMEOUT_MS },
  });
}
