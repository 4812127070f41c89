// Steps that work on results of others, without a workspace: integrate and publish.
import { commitId } from "@croft/git";
import { evaluateText, type IntegrateStep, type PublishStep, refFault } from "@croft/pipeline";
import { requireMayPublish } from "../github/may-publish.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { integrateInCheckout, publishInCheckout } from "./checkout-steps.ts";
import { conflictReport } from "./conflict-report.ts";
import { planPullRequest } from "./github-steps.ts";
import { accessToOwn } from "./own-repository.ts";
import { requireOwnCode } from "./require-trusted.ts";
import type { StepRow } from "./run-rows.ts";
import { bringResult, bundleOf, requireGood } from "./step-files.ts";
import type { StepResult } from "./step-result.ts";
import { resultRef, type StepScene } from "./step-scene.ts";

/** Merges in order; what conflicts is told by its files, and everything stays reachable. */
export async function integrateStep(
  scene: StepScene & { readonly step: IntegrateStep },
): Promise<StepResult> {
  const { git, run, step, rows, source, signal, context, attempt } = scene;
  const made = step.from.flatMap((id) =>
    rows.filter((row) => row.step === id && row.commit !== null && !row.is_group),
  );
  const base = commitId(run.commit);
  const commits = made.map((row) => ({
    id: nameOf(step, row),
    commit: commitId(row.commit ?? ""),
    ...(step.message === undefined ? {} : { message: evaluateText(step.message, context) }),
  }));
  for (const row of made) {
    const place = { commit: commitId(row.commit ?? ""), base: commitId(row.base ?? run.commit) };
    await bringResult(scene, row.step, row.item, place);
  }
  const ref = resultRef(run.id, step.id, "");
  const { commit, integrated, conflicts } =
    "checkout" in source
      ? await integrateInCheckout(scene, source.checkout, { base, commits, ref })
      : await git.results.integrate({
          ...{ owner: run.owner, repository: source.remote, base, commits, ref, signal },
          attempt: { jobId: attempt.id, attempt: attempt.attempt },
        });
  const leftOut = withoutResult(scene);
  const all = commits.length + leftOut.length;
  attempt.log(`integrated ${integrated.length} of ${all} at ${commit}\n`);
  for (const { id, result } of leftOut)
    attempt.log(`left out: ${id}: it has no result: ${result}\n`);
  for (const { id, files, reason } of conflicts) {
    attempt.log(`conflict: ${id}: ${reason}: ${files.join(", ")}\n`);
  }
  scene.log.info(
    { commit, ref, integrated: integrated.length, conflicts: conflicts.length, of: all },
    "results were integrated",
  );
  const report = { ...conflictReport({ integrated, conflicts }), left_out: leftOut };
  if (conflicts.length > 0 && step.onConflict === "fail") {
    const which = conflicts.map(({ id, files }) => `${id} (${files.join(", ")})`).join("; ");
    throw new JobFailure(
      "invalid",
      "conflicts",
      `${conflicts.length} could not be merged: ${which}; the others are at ${commit}`,
      { details: { ...report, commit } },
    );
  }
  return {
    ...{ commit, base, report },
    ...(await bundleOf(scene, commit, base)),
  };
}

/** Steps and items that made nothing that could be merged, with what became of them. */
function withoutResult({ step, rows }: StepScene & { readonly step: IntegrateStep }) {
  return step.from.flatMap((from) => {
    const none = rows.filter((row) => row.step === from && row.commit === null && !row.is_group);
    return none.map((row) => ({ id: nameOf(step, row), result: row.status }));
  });
}

/** Items of several steps may have the same ids. */
function nameOf({ from }: IntegrateStep, { step, item }: StepRow): string {
  if (item === "") return step;
  return from.length === 1 ? item : `${step}/${item}`;
}

/** Pushed, and believed only when the remote says so. */
export async function publishStep(
  scene: StepScene & { readonly step: PublishStep },
): Promise<StepResult> {
  const { git, run, step, rows, source, context, attempt } = scene;
  const { pool } = scene.parts.database;
  const row = rows.find((each) => each.step === step.from && each.item === "");
  if (row?.commit == null || row.base === null) {
    throw new JobFailure("invalid", "no-result", `step '${step.from}' has no result to publish`);
  }
  await requireOwnCode(pool, run);
  const branch = evaluateText(step.branch, context);
  requireGood("branch", branch, refFault);
  const openPullRequest = planPullRequest(scene);
  await bringResult(scene, step.from, "", {
    commit: commitId(row.commit),
    base: commitId(row.base),
  });
  const plan = { commit: commitId(row.commit), branch, force: step.force };
  const published =
    "checkout" in source
      ? await publishInCheckout(scene, source.checkout, plan)
      : await git.results.publish({
          ...{ ...plan, owner: run.owner, repository: source.remote, onConflict: step.onConflict },
          access: await accessToOwn(scene, source.remote, scene.credential),
          ref: resultRef(run.id, step.id, ""),
          attempt: { jobId: attempt.id, attempt: attempt.attempt },
          fence: () => requireMayPublish(pool, { jobId: attempt.id, attempt: attempt.attempt }),
        });
  scene.log.info({ commit: published.commit, branch: published.branch }, "a result was published");
  attempt.log(`published ${published.commit} as '${published.branch}'\n`);
  const shown = await openPullRequest(published.branch);
  return { commit: published.commit, base: row.base, branch: published.branch, ...shown };
}
