// Whose branch it is: one that an earlier attempt of the same work made is made again, anybody else's is left alone.
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { requireResultRef } from "../result/result-ref.ts";
import { resolveCommit } from "./resolve-commit.ts";

export interface BranchClaim {
  /** A ref below `refs/croft/` that is set together with the branch: where it is, the branch was made by this work. */
  readonly made: string;
  /** Another one, for what the earlier attempt had put on the branch: its owner may have gone on with it. */
  readonly kept: string;
}

export function requireClaim({ made, kept }: BranchClaim): void {
  requireResultRef(made);
  requireResultRef(kept);
}

/** Only under the repository's lock, and when the branch is checked out nowhere. All of it in one transaction. */
export async function takeBack(
  branch: string,
  { made, kept }: BranchClaim,
  options: RunGitOptions,
): Promise<void> {
  const begun = await resolveCommit(made, options);
  if (begun === undefined) return;
  const ref = `refs/heads/${branch}`;
  const tip = await resolveCommit(ref, options);
  const changes = [
    `delete ${made} ${begun}`,
    ...(tip === undefined ? [] : [`delete ${ref} ${tip}`]),
    ...(tip === undefined || tip === begun ? [] : [`update ${kept} ${tip}`]),
  ];
  const input = changes.map((change) => `${change}\n`).join("");
  await runGit(["update-ref", "--stdin"], { ...options, input });
}
