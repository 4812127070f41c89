// A scratch git whose remote has a branch of exactly these trees, mirrored.
import { type CommitId, type GitOptions, USUAL_REFS } from "@croft/git";
import { importCommits, type Tree } from "./import-commits.ts";
import { type ScratchGit, scratchGit } from "./scratch-git.ts";
import { unmountWhenFinished } from "./unmount-below.ts";

export interface ScratchStory extends ScratchGit {
  /** The oldest first. */
  readonly story: readonly CommitId[];
}

export async function scratchStory(
  trees: readonly Tree[],
  options: Partial<GitOptions> = {},
): Promise<ScratchStory> {
  const scratch = await scratchGit({ files: 1, commits: 0, odd: false }, options);
  unmountWhenFinished(scratch.root);
  const story = await importCommits(scratch.origin, "story", trees);
  await scratch.git.mirrors.fetch(scratch.remote, USUAL_REFS);
  return { ...scratch, story };
}
