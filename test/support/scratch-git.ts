// The git package on a data directory of its own, with one generated repository already mirrored.
import { join } from "node:path";
import {
  type CommitId,
  commitId,
  type Git,
  type GitOptions,
  type Mirror,
  openGit,
  parseRemoteUrl,
  type RemoteUrl,
  USUAL_REFS,
} from "@croft/git";
import { expect, onTestFinished } from "vitest";
import { makeRepository, git as plainGit, type RepositoryPlan } from "./make-repository.ts";
import { scratchDirectory } from "./scratch-directory.ts";

export interface ScratchGit {
  readonly root: string;
  readonly data: string;
  readonly git: Git;
  /** The bare repository that plays the remote. */
  readonly origin: string;
  readonly remote: RemoteUrl;
  readonly mirror: Mirror;
  /** Of branch main, the newest first. */
  readonly commits: readonly [CommitId, ...CommitId[]];
}

export async function scratchGit(
  plan: Partial<RepositoryPlan> = {},
  options: Partial<GitOptions> = {},
): Promise<ScratchGit> {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", {
    ...{ files: 20, commits: 3, odd: true },
    ...plan,
  });
  const data = join(root, "data");
  const failures: string[] = [];
  const git = await openGit({
    data,
    onBackgroundError: (what, error) => failures.push(`${what}: ${error}`),
    ...options,
  });
  onTestFinished(async () => {
    await git.close();
    expect(failures).toEqual([]);
  });
  const remote = parseRemoteUrl(origin, { allowLocal: true });
  const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
  const ids = await plainGit(["--git-dir", origin, "rev-list", "main"]);
  const [first, ...rest] = ids.split("\n").map(commitId);
  if (first === undefined) throw new Error("the repository has no commit");
  return { root, data, git, origin, remote, mirror, commits: [first, ...rest] };
}
