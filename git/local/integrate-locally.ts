// Merges commits of a developer's repository into one: with its objects, but without its configuration and its checkouts.
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { type Integration, type IntegrationPlan, mergeInOrder } from "../result/merge-in-order.ts";
import type { CallersRepository } from "../worktree/find-repository.ts";

/** New objects go into the repository, as those of any merge that its owner tries; a ref is the caller's business. */
export async function integrateLocally(
  directories: GitDirectories,
  { commonDir, owner }: CallersRepository,
  plan: IntegrationPlan,
): Promise<Integration> {
  const place = stagingPlace(directories, "integrate");
  try {
    mkdirSync(place, { mode: 0o700 });
    const gitDir = join(place, "bare.git");
    await runGit(["init", "--quiet", "--bare", gitDir]);
    if (owner !== undefined) {
      for (const name of ["", ...(await readdir(place, { recursive: true }))]) {
        chownSync(join(place, name), owner.uid, owner.gid);
      }
    }
    const shallow = join(commonDir, "shallow");
    const options: RunGitOptions = {
      ...{ gitDir, signal: plan.signal, ...owner },
      variables: {
        GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
        ...(existsSync(shallow) ? { GIT_SHALLOW_FILE: shallow } : {}),
      },
    };
    return await mergeInOrder(options, place, plan);
  } catch (error) {
    throw asDiskError(error);
  } finally {
    await removeTree(place);
  }
}
