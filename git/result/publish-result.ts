// Publishes a recorded result without a workspace, and knows what to do when the branch has moved.
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { resolveRef } from "../remote/resolve-ref.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { requireBranch } from "../workspace/workspace-request.ts";
import { integrateResults } from "./integrate-results.ts";
import { type Published, type PublishRequest, publish, readBranch } from "./publish.ts";
import type { ResultParts } from "./reach-base.ts";
import type { Attempt, ResultRepository } from "./result-repository.ts";

export interface PublishPlan extends Pick<PublishRequest, "commit" | "branch" | "expected"> {
  readonly access?: PublishRequest["access"] | undefined;
  /** Over whatever is there, if it stays that until the push has arrived. Otherwise only what the branch leads to. */
  readonly force?: boolean | undefined;
  /** `retry`: what others have put on the branch is merged with the commit, and the merge is published. */
  readonly onConflict?: "fail" | "retry" | undefined;
  /** Where such a merge is recorded. */
  readonly ref?: string | undefined;
  readonly attempt?: Attempt | undefined;
  /** Asked at the last moment, too; throws when nothing may be published any more. */
  readonly fence?: (() => Promise<void>) | undefined;
}

const TRIES_MAX = 10;
const BETWEEN_TRIES_MS = 100;

export async function publishResult(
  parts: ResultParts,
  results: ResultRepository,
  plan: PublishPlan,
): Promise<Published> {
  const { branch, force = false, onConflict = "fail", attempt = {}, access = {} } = plan;
  requireBranch(branch);
  await results.hold("open results", async () => results.requireCurrent(attempt));
  await results.requireRecorded(plan.commit);
  const { gitDir, mirror } = results;
  const fence = async () => {
    await results.hold("publish", async () => results.requireCurrent(attempt));
    await plan.fence?.();
  };
  const request = { gitDir, remote: mirror.remote, branch, access, fence };
  let { commit, expected } = plan;
  if (force) expected ??= (await readBranch(request, `refs/heads/${branch}`)) ?? "none";
  for (let tries = 1; ; tries++) {
    try {
      return await publish({ ...request, commit, expected });
    } catch (error) {
      const isMoved = error instanceof WorkspaceError && error.code === "conflict";
      const mayRetry = onConflict === "retry" && expected === undefined && tries < TRIES_MAX;
      if (!isMoved || !mayRetry) throw error;
      await delay(tries * BETWEEN_TRIES_MS * Math.random(), undefined, { signal: access.signal });
      commit = await mergeWithRemote(parts, results, plan);
    }
  }
}

/** The branch's own history is the first parent: to others it looks as if our work had come last. */
async function mergeWithRemote(
  { directories, mirrors }: ResultParts,
  results: ResultRepository,
  { branch, commit, access = {}, attempt, ref }: PublishPlan,
) {
  const { remote } = results.mirror;
  const resolved = await resolveRef(remote, `refs/heads/${branch}`, access);
  const { commit: base } = await mirrors.ensure(remote, resolved, access);
  const place = createHash("sha256").update(branch).digest("hex").slice(0, 16);
  const { commit: merged, conflicts } = await integrateResults(directories, results, {
    ...{ base, attempt, ref: ref ?? `refs/croft/published/${place}/${commit}` },
    commits: [{ id: commit, commit, message: `Merge ${commit.slice(0, 12)} into ${branch}` }],
    signal: access.signal,
  });
  const [conflict] = conflicts;
  if (conflict === undefined) return merged;
  const files = conflict.files.slice(0, 20).join(", ");
  const message = `branch '${branch}' has moved, and what it has got conflicts (${conflict.reason}): ${files}`;
  throw new WorkspaceError("conflict", message);
}
