// Makes an empty bare repository that only we can enter, with packs that others can read once they are linked elsewhere.
import { chmod, mkdir } from "node:fs/promises";
import { runGit } from "../command/run-git.ts";

/**
 * Whatever the umask, packs can be read by the jobs' user, into whose templates they are linked. The directory is made
 * private before git makes the rest of it, because others may pass through staging, and again after: git opens it up.
 */
export async function initPrivate(gitDir: string, held: readonly number[] = []): Promise<void> {
  await mkdir(gitDir, { mode: 0o700 });
  const args = ["init", "--quiet", "--bare", "--shared=0644", gitDir];
  await runGit(args, { lockDescriptors: held });
  await chmod(gitDir, 0o700);
}
