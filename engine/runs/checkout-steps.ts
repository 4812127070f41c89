// Steps of a run on a checkout of the caller's own: worktrees of it, and results that stay in it.
import { setTimeout as delay } from "node:timers/promises";
import {
  type CommitId,
  type Integration,
  type IntegrationPlan,
  type LocalPublication,
  type Published,
  type Workspace,
  WorkspaceError,
  WorktreeError,
  type WorktreeRequest,
} from "@croft/git";
import type { PublishStep, RunStep } from "@croft/pipeline";
import { JobFailure } from "../jobs/job-failure.ts";
import { resultRef, type StepScene } from "./step-scene.ts";

const TRIES_MAX = 10;
const BETWEEN_TRIES_MS = 100;

export async function makeWorktree(
  { git, run, step, row, attempt, signal }: StepScene & { readonly step: RunStep },
  checkout: string,
  plan: Pick<WorktreeRequest, "branch"> & {
    readonly base: string;
    readonly sandbox: "off" | undefined;
  },
): Promise<Workspace> {
  const fault = worktreeFault(step);
  if (fault !== undefined) throw new JobFailure("invalid", "no-worktree", fault);
  const own = row.item === "" ? step.id : `${step.id}/${row.item}`;
  const ref = (name: string) => resultRef(run.id, name, own);
  return await git.workspaces.createWorktree({
    ...{ ...plan, repository: checkout, name: `${run.name}-${step.id}`, signal },
    claim: { made: ref("_made"), kept: ref("_kept") },
    owner: { owner: run.owner, jobId: attempt.id, attempt: attempt.attempt, runId: run.id },
  });
}

/** What a step asks of its workspace that a worktree cannot give. */
export function worktreeFault({ id, workspace }: RunStep): string | undefined {
  const { kind, sparse, submodules, lfs, history, repositories } = workspace;
  const instead = "a run on a checkout of this machine works in worktrees of it";
  if (kind !== undefined && kind !== "worktree") {
    return `step '${id}': no workspace of kind '${kind}': ${instead}; push it, and name the remote with --repo`;
  }
  const wishes = {
    ...{ sparse: sparse.length > 0, submodules, lfs, history: history !== undefined },
    repositories: Object.keys(repositories).length > 0,
  };
  const wish = Object.entries(wishes).find(([, isAsked]) => isAsked)?.[0];
  return wish === undefined
    ? undefined
    : `step '${id}': 'workspace.${wish}' is not possible: ${instead}; push it, and name the remote with --repo`;
}

export async function integrateInCheckout(
  { git, run, signal }: StepScene,
  checkout: string,
  plan: IntegrationPlan & { readonly ref: string },
): Promise<Integration> {
  return await git.local.integrate({ ...plan, checkout, runId: run.id, signal });
}

/** Sets a branch of the checkout's repository; never one that somebody has checked out. */
export async function publishInCheckout(
  scene: StepScene & { readonly step: PublishStep },
  checkout: string,
  plan: LocalPublication,
): Promise<Published> {
  const { git, run, step, signal } = scene;
  const where = { checkout, runId: run.id, signal };
  let expected: LocalPublication["expected"];
  let { commit } = plan;
  for (let tries = 1; ; tries++) {
    try {
      return await git.local.publish({
        ...{ ...where, ...plan, commit, expected, checkedOut: "refuse" },
      });
    } catch (error) {
      if (error instanceof WorktreeError && error.code === "branch-in-use") {
        throw new JobFailure("invalid", error.code, error.message, { cause: error }); // waiting does not help
      }
      const isMoved = error instanceof WorkspaceError && error.code === "conflict";
      const mayRetry = step.onConflict === "retry" && !step.force && tries < TRIES_MAX;
      if (!isMoved || !mayRetry) throw error;
      await delay(tries * BETWEEN_TRIES_MS * Math.random(), undefined, { signal });
      ({ commit, expected } = await mergeWithBranch(scene, checkout, plan));
    }
  }
}

/** What is on the branch comes first, as with a remote. */
async function mergeWithBranch(
  { git, run, step, signal }: StepScene,
  checkout: string,
  { branch, commit }: LocalPublication,
): Promise<{ readonly commit: CommitId; readonly expected: CommitId }> {
  const where = { checkout, runId: run.id, signal };
  const { commit: base } = await git.local.resolve({ ...where, ref: `refs/heads/${branch}` });
  const { commit: merged, conflicts } = await git.local.integrate({
    ...{ ...where, base, ref: resultRef(run.id, "_merged", step.id) },
    commits: [{ id: commit, commit, message: `Merge ${commit.slice(0, 12)} into ${branch}` }],
  });
  const [conflict] = conflicts;
  if (conflict === undefined) return { commit: merged, expected: base };
  const files = conflict.files.slice(0, 20).join(", ");
  const message = `branch '${branch}' has moved, and what it has got conflicts (${conflict.reason}): ${files}`;
  throw new WorkspaceError("conflict", message);
}
