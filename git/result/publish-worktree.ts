// Publishes from a repository whose configuration a job could write: by a bare one of ours that borrows its objects.
import { chownSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runGit } from "../command/run-git.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { type Published, type PublishRequest, publish } from "./publish.ts";

/** `commonDir` is read as its owner, so that nothing is sent which that one could not read. */
export async function publishWorktree(
  commonDir: string,
  directories: GitDirectories,
  request: Omit<PublishRequest, "gitDir" | "fence"> & { readonly user: JobUser | undefined },
): Promise<Published> {
  const { user } = request;
  const gitDir = stagingPlace(directories, "publish");
  try {
    await runGit(["init", "--quiet", "--bare", "--shared=0644", gitDir]);
    writeFileSync(join(gitDir, "objects/info/alternates"), `${join(commonDir, "objects")}\n`);
    if (user !== undefined) await giveTo(gitDir, user);
    return await publish({ ...request, gitDir, fence: async () => {} });
  } finally {
    await removeTree(gitDir);
  }
}

async function giveTo(path: string, { uid, gid }: JobUser): Promise<void> {
  for (const name of await readdir(path, { recursive: true }))
    chownSync(join(path, name), uid, gid);
  chownSync(path, uid, gid);
}
