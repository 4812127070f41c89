// A result for which there is no room is told as that, leaves nothing behind, and is recorded when there is room again.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { isRoot, shell } from "../../test/support/workspace-scene.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { openGit } from "../open-git.ts";
import { commitId } from "../remote/commit-id.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";

/** A disk of this size, with a data directory on it. */
async function smallDisk(megabytes: number) {
  const root = await scratchDirectory();
  const data = join(root, "disk");
  await mkdir(data);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "none", data]);
  onTestFinished(() => void execFileSync("umount", [data]));
  const origin = await makeRepository(join(root, "remotes"), "app", { files: 3 });
  const git = await openGit({ data, reserveBytes: 0 });
  const mirror = await git.mirrors.fetch(parseRemoteUrl(origin, { allowLocal: true }), USUAL_REFS);
  const commit = commitId(await plainGit(["--git-dir", origin, "rev-parse", "main"]));
  return { git, mirror, commit };
}

test.runIf(isRoot).each(["overlay", "clone"] as const)("%s", async (kind) => {
  const { git, mirror, commit } = await smallDisk(16);
  const owner = { owner: "local" };
  const job = await git.workspaces.createAt(mirror, commit, { name: "large", owner, kind });
  const full = { name: "GitError", code: "disk-full" };
  // Room for the file and the job's copy of it, but not for ours; then not even for the job's.
  for (const bytes of [6_000_000, 10_000_000]) {
    await shell(job, `head -c ${bytes} /dev/urandom > large`);
    await expect(job.result()).rejects.toMatchObject(full);
    expect(readdirSync(git.directories.staging)).toEqual([]);
    await shell(job, "rm large; git gc -q --prune=now");
  }
  await shell(job, "echo small > small");
  const result = await job.result();
  expect(result.commit).not.toBe(commit);
  await job.remove();
  await git.close();
});
