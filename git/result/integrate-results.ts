// Merges what several jobs of one owner made into one commit of the owner's results.
import { join } from "node:path";
import { runGit } from "../command/run-git.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import { inQuarantine, packInto, packsIn } from "./in-quarantine.ts";
import {
  type Integration,
  type IntegrationPlan,
  mergeInOrder,
  requirePlan,
} from "./merge-in-order.ts";
import { requireResultRef } from "./result-ref.ts";
import type { Attempt, ResultRepository } from "./result-repository.ts";
import { moveIn, requireCommit } from "./take-in.ts";

export interface ResultIntegration extends IntegrationPlan {
  readonly ref: string;
  readonly attempt?: Attempt | undefined;
}

/** Nothing is in the results before all of it is; then its pack and its ref appear under one lock. */
export async function integrateResults(
  directories: GitDirectories,
  results: ResultRepository,
  { ref, attempt = {}, ...plan }: ResultIntegration,
): Promise<Integration> {
  const { base, commits, signal } = plan;
  requireResultRef(ref);
  requirePlan(plan);
  await results.hold("open results", async () => results.requireCurrent(attempt));
  for (const { commit } of commits) await results.requireRecorded(commit, base);
  return await inQuarantine(directories, results, async (quarantine) => {
    const { place, options } = quarantine;
    await requireCommit(base, options);
    const merging = { ...options, signal, config: [["core.fsync", "none"]] as const }; // the pack is synced
    const made = await mergeInOrder(merging, place, plan);
    const isNew = made.commit !== base;
    const known = [base, ...commits.map(({ commit }) => commit)];
    if (isNew) await packInto(quarantine, made.commit, known, signal);
    await results.hold("record an integration", async (descriptor) => {
      results.requireCurrent(attempt);
      if (isNew) moveIn(packsIn(place), join(results.gitDir, "objects/pack"));
      await runGit(["update-ref", "--end-of-options", ref, made.commit], {
        ...{ gitDir: results.gitDir, lockDescriptors: [descriptor] },
      });
    });
    return made;
  });
}
