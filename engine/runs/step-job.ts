// The job types of runs: `run` gets a run started, `step` carries one step or one item of it.
import { commitId, RemoteUrlError, WorkspaceError } from "@croft/git";
import { ExpressionFailure, type RetryPolicy, type Step } from "@croft/pipeline";
import { z } from "zod";
import { asFailure, isGitFault } from "../command/git-failure.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { type Attempt, defineJobType, type JobType } from "../jobs/job-type.ts";
import { UnknownSecrets } from "../secrets/secret-store.ts";
import { commentStep } from "./github-steps.ts";
import { namedCredential } from "./named-credential.ts";
import { accessToOwn, beginningOf, explainMoved } from "./own-repository.ts";
import { refuseUntrusted } from "./require-trusted.ts";
import { integrateStep, publishStep } from "./result-steps.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { CheckFailure } from "./run-checks.ts";
import { runCommandStep } from "./run-command-step.ts";
import { type RunRow, readRun } from "./run-rows.ts";
import type { StartResult, StepResult } from "./step-result.ts";
import {
  loadStep,
  type StepInput,
  type StepParts,
  type StepScene,
  sourceOf,
  startRef,
} from "./step-scene.ts";
import { readUses } from "./used-pipelines.ts";

/** Made by Croft or named by the pipeline, which knows no secrets. */
const FIXED_FIELDS = ["commit", "base", "branch", "artifacts", "bundle"];

export function stepJob(parts: StepParts): JobType {
  return defineJobType<StepInput>({
    ...{ name: "step", isOfRuns: true, fixedFields: FIXED_FIELDS },
    input: z.strictObject({ run_id: z.uuid(), step: z.string(), item: z.string() }),
    run: (attempt) => runStep(parts, attempt),
  });
}

async function runStep(parts: StepParts, attempt: Attempt<StepInput>): Promise<StepResult> {
  const loaded = await loadStep(parts, attempt);
  const { step } = loaded;
  const tooLong = new JobFailure(
    "timeout",
    "step-timeout",
    `it ran longer than ${step.timeoutMs / 1000} s`,
  );
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(tooLong), Math.min(step.timeoutMs, 2 ** 31 - 1));
  const scene: StepScene = { ...loaded, signal: AbortSignal.any([attempt.signal, time.signal]) };
  try {
    return await carryOut(scene);
  } catch (error) {
    if (attempt.signal.aborted) throw attempt.signal.reason;
    if (isGitFault(error)) scene.log.warn({ err: error }, "git could not do what a step asks for");
    throw withPolicy(
      time.signal.aborted ? tooLong : asStepFailure(error, step),
      step.retry,
      attempt.attempt,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function carryOut(scene: StepScene): Promise<StepResult> {
  const { step } = scene;
  switch (step.kind) {
    case "run":
      return await runCommandStep({ ...scene, step });
    case "integrate":
      return await integrateStep({ ...scene, step });
    case "publish":
      return await publishStep({ ...scene, step });
    case "comment":
      return await commentStep({ ...scene, step });
    default:
      throw new JobFailure("invalid", "stale-step", `a step of kind '${step.kind}' is no job`);
  }
}

function asStepFailure(error: unknown, step: Step): unknown {
  if (isFinalConflict(error, step))
    return new JobFailure("invalid", "conflict", error.message, { cause: error });
  if (error instanceof ExpressionFailure)
    return new JobFailure("invalid", "expression", error.message, { cause: error });
  if (error instanceof RemoteUrlError)
    return new JobFailure("invalid", "invalid-value", error.message, { cause: error });
  if (error instanceof UnknownSecrets)
    return new JobFailure("invalid", "unknown-secrets", error.message, { cause: error });
  return asFailure(error);
}

/** Told to fail when the branch has moved: it would find it moved the next time too. */
function isFinalConflict(error: unknown, step: Step): error is WorkspaceError {
  const isConflict = error instanceof WorkspaceError && error.code === "conflict";
  return isConflict && step.kind === "publish" && step.onConflict === "fail";
}

/** Whether there is another attempt is for the step to say, by the class of the failure. */
function withPolicy(error: unknown, policy: RetryPolicy, attempt: number): unknown {
  const known = error instanceof JobFailure ? error : undefined;
  const failureClass = known?.failureClass ?? "transient";
  const isRetried =
    error instanceof CheckFailure
      ? error.onFailure === "retry" || policy.on.includes("check")
      : (policy.on as readonly string[]).includes(failureClass);
  const message = error instanceof Error ? error.message : String(error);
  return new JobFailure(failureClass, known?.code ?? "failed", message, {
    cause: error,
    details: known?.details,
    attempts: isRetried ? policy.attempts : 1,
    retryAfterMs: Math.max(retryDelayMs(policy, attempt), known?.retryAfterMs ?? 0),
  });
}

/** Gets the run its lane, and finds out where it begins and what it uses; once, however often it waits. */
export function runJob(parts: StepParts): JobType {
  return defineJobType<{ run_id: string }>({
    ...{
      name: "run",
      input: z.strictObject({ run_id: z.uuid() }),
      holdsLane: true,
      isOfRuns: true,
    },
    run: async (attempt) => {
      try {
        return await startOf(parts, attempt);
      } catch (error) {
        throw asFailure(error);
      }
    },
  });
}

const USED_BYTES_MAX = 1024 * 1024;

async function startOf(
  parts: StepParts,
  { input, signal }: Attempt<{ run_id: string }>,
): Promise<StartResult> {
  const run = await readRun(parts.database.pool, input.run_id);
  if (run === undefined)
    throw new JobFailure("invalid", "run-gone", "its run is not there any more");
  const source = sourceOf(run, parts.config);
  if ("checkout" in source) return await startInCheckout(parts, run, source.checkout, signal);
  if (run.commit !== null) return { commit: run.commit, uses: { ...run.uses } };
  const git = await parts.git();
  const repository = source.remote;
  const credential = await namedCredential(parts.database.pool, run);
  const access = await accessToOwn({ parts, run, signal }, repository, credential);
  const commit = await git.remotes
    .resolve({ repository, ref: beginningOf(run), access })
    .catch((error: unknown) => {
      throw explainMoved(run, error);
    });
  const readUsed = async (name: string) => {
    if (run.withholds_secrets) refuseUntrusted(name);
    const bytes = await git.remotes.readFile({
      repository,
      access,
      commit,
      path: name,
      maxBytes: USED_BYTES_MAX,
    });
    return bytes ?? undefined;
  };
  return { commit, uses: await readUses(parts.database, run, readUsed) };
}

/** Its commit was found out when it was asked for; from here on a ref keeps it, so that the run can be gone on with. */
async function startInCheckout(
  parts: StepParts,
  run: RunRow,
  checkout: string,
  signal: AbortSignal,
): Promise<StartResult> {
  if (run.commit === null) throw new Error("a run in a checkout has no commit");
  const git = await parts.git();
  const commit = commitId(run.commit);
  await git.local.record({ checkout, ref: startRef(run.id), commit, runId: run.id, signal });
  if (run.started_at !== null) return { commit, uses: { ...run.uses } }; // it goes on with what it began with
  const readUsed = (path: string) =>
    git.local.readFile({ checkout, commit, path, maxBytes: USED_BYTES_MAX, signal });
  return { commit, uses: await readUses(parts.database, run, readUsed) };
}
