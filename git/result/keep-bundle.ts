// What a failed or cancelled job left, as one file that `git fetch` can read, for a day.
import { statSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { gitText, runGit } from "../command/run-git.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { ResultRepository } from "./result-repository.ts";

export const KEPT_FOR_MS = 24 * 3_600_000;

export interface KeptWork {
  readonly id: string;
  readonly ref: string;
  readonly commit: CommitId;
  readonly base: CommitId;
}

/** The result's ref is given up once the bundle is there. */
export async function keepBundle(
  results: ResultRepository,
  { id, ref, commit, base }: KeptWork,
): Promise<string | undefined> {
  const path = join(results.keptDirectory, `${id}.bundle`);
  await makeDirectories(results.keptDirectory, 0o700);
  return await results.hold("keep a failed job's work", async (descriptor) => {
    const options = { gitDir: results.gitDir, lockDescriptors: [descriptor] };
    // A job that only went back in history has made nothing either, and git refuses to bundle nothing.
    const isNew = (await gitText(["rev-list", "-1", commit, `^${base}`], options)) !== "";
    if (isNew) {
      await runGit(["bundle", "create", "--quiet", `${path}.draft`, ref, `^${base}`], options);
      await rename(`${path}.draft`, path);
    }
    await runGit(["update-ref", "-d", "--end-of-options", ref], options);
    return isNew ? path : undefined;
  });
}

/** Those older than a day, and drafts of killed makers. */
export async function removeExpiredBundles(
  keptDirectory: string,
  nowMs: number,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(keptDirectory)) {
    const path = join(keptDirectory, name);
    const ageMs = nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
    if (ageMs <= KEPT_FOR_MS) continue;
    await rm(path, { force: true });
    removed.push(path);
  }
  return removed;
}
