// Takes over what has become of a run's steps: their jobs have ended, sub-pipelines too, or nobody answered in time.
import type { JobError } from "@croft/contract";
import type { JsonValue, RetryPolicy, Step } from "@croft/pipeline";
import { AssetError } from "../assets/asset-error.ts";
import { recordAsset } from "../assets/store-asset.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { retryDelayMs } from "./retry-delay.ts";
import type { CarriedStep, RunRow } from "./run-rows.ts";
import type { StepStatus } from "./run-state.ts";
import type { RunSteps } from "./run-steps.ts";
import { StepResult } from "./step-result.ts";

/** How a step has ended. */
export interface StepEnd {
  readonly status: StepStatus;
  readonly result: StepResult;
  readonly error?: JobError | undefined;
}

/** What has become of a step that was begun. */
export type StepTurn =
  | { readonly kind: "goes-on" }
  | { readonly kind: "ended"; readonly end: StepEnd }
  /** A sub-pipeline that takes too long: to be stopped, and waited for. */
  | { readonly kind: "overdue" }
  /** A sub-pipeline that has failed: to be started again, after a pause or now. */
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "again" };

const GOES_ON: StepTurn = { kind: "goes-on" };

export function turnOf(
  row: CarriedStep,
  step: Step | undefined,
  { cancel_requested_at: cancelledAt }: Pick<RunRow, "cancel_requested_at">,
  now: Date,
): StepTurn {
  if (row.status === "running" && !row.is_group && row.child_id !== null)
    return turnOfChild(row, step, cancelledAt !== null, now);
  const end = endOf(row, now);
  return end === undefined ? GOES_ON : { kind: "ended", end };
}

/** Undefined while it goes on. */
function endOf(row: CarriedStep, now: Date): StepEnd | undefined {
  if (row.status === "waiting") {
    if (row.deadline_at === null || row.deadline_at > now) return undefined;
    return failure("timeout", "approval-timeout", "nobody approved it in time");
  }
  if (row.status !== "running" || row.is_group) return undefined;
  switch (row.job_status) {
    case "done": {
      const read = StepResult.safeParse(row.job_result ?? {});
      if (read.success) return { status: "done", result: read.data };
      return failure("invalid", "invalid-result", "its job ended with a result of another version");
    }
    case "failed":
      return failedJob(row);
    case "cancelled":
      return { status: "cancelled", result: {}, error: row.job_error ?? undefined };
    case null:
      return failure("lost", "job-gone", "its job is not there any more");
    default:
      return undefined;
  }
}

/** What it knows about its failure is its report. */
function failedJob({ job_error: error }: CarriedStep): StepEnd {
  if (error === null) return { status: "failed", result: {} };
  const { details, ...plain } = error;
  const { artifacts: kept, ...report } = details ?? {};
  const read = StepResult.shape.report.safeParse(details === undefined ? undefined : report);
  const { data: artifacts } = StepResult.shape.artifacts.safeParse(kept);
  return { status: "failed", result: { report: read.data, artifacts }, error: plain };
}

function turnOfChild(
  row: CarriedStep,
  step: Step | undefined,
  isCancelled: boolean,
  now: Date,
): StepTurn {
  const { child_status: status, child_outputs, child_error, deadline_at, stopped_at } = row;
  const isPast = (at: Date | null) => at !== null && at <= now;
  switch (status) {
    case null:
      return ended(failure("lost", "run-gone", "its run is not there any more"));
    case "done":
      return ended({ status, result: { outputs: outputTexts(child_outputs ?? {}) } });
    case "failed":
    case "cancelled":
      break;
    default:
      return isPast(deadline_at) && stopped_at === null ? { kind: "overdue" } : GOES_ON;
  }
  const isOverdue =
    deadline_at !== null && stopped_at !== null && stopped_at >= deadline_at && !isCancelled;
  const end: StepEnd = isOverdue
    ? failure("timeout", "step-timeout", `it ran longer than ${(step?.timeoutMs ?? 0) / 1000} s`)
    : { status, result: {}, error: child_error ?? undefined };
  const isStopped = isCancelled || (stopped_at !== null && !isOverdue);
  if (isStopped) return ended(end);
  if (row.retry_at !== null) return isPast(row.retry_at) ? { kind: "again" } : GOES_ON;
  if (step === undefined || !isTriedAgain(step.retry, row.child_attempts, end)) return ended(end);
  return { kind: "pause", ms: retryDelayMs(step.retry, row.child_attempts) };
}

function ended(end: StepEnd): StepTurn {
  return { kind: "ended", end };
}

function isTriedAgain(policy: RetryPolicy, attempts: number, { status, error }: StepEnd): boolean {
  if (status !== "failed" || attempts >= policy.attempts) return false;
  const classes: readonly string[] = policy.on;
  if (error?.code === "check-failed" && classes.includes("check")) return true;
  return classes.includes(error?.class ?? "transient");
}

/** A step's outputs are texts: lists and objects become JSON, for `fromJSON`. */
function outputTexts(outputs: Readonly<Record<string, JsonValue>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value === null ? "" : JSON.stringify(value),
    ]),
  );
}

function failure(failureClass: JobError["class"], code: string, message: string): StepEnd {
  return { status: "failed", result: {}, error: { class: failureClass, code, message } };
}

/** Its files become visible together with its end. */
export async function recordEnd(
  client: Queryable,
  run: RunRow,
  steps: RunSteps,
  row: CarriedStep,
  ended: StepEnd,
): Promise<StepEnd> {
  const { result, status, error } = ended;
  try {
    await recordFiles(client, run, row, result);
  } catch (fault) {
    if (!(fault instanceof AssetError)) throw fault;
    return await recordEnd(client, run, steps, row, failure("lost", fault.code, fault.message));
  }
  steps.change(row.step, row.item, {
    ...{ status, ends: true, error: error ?? null },
    ...{ outputs: result.outputs ?? null, report: result.report ?? null },
    ...{ commit: result.commit ?? null, base: result.base ?? null },
    ...{ branch: result.branch ?? row.branch, summary: result.summary ?? null },
  });
  return ended;
}

async function recordFiles(
  client: Queryable,
  run: RunRow,
  row: CarriedStep,
  { artifacts = [], bundle, commit }: StepResult,
): Promise<void> {
  const about = {
    ...{ owner: run.owner, runId: run.id, step: row.step, commit },
    item: row.item === "" ? undefined : row.item,
    jobId: row.job_id ?? undefined,
    sourceTaskId: run.source_task_id ?? undefined,
  };
  for (const { name, media_type, ...stored } of artifacts) {
    const asset = { ...about, kind: "artifact" as const, name, mediaType: media_type };
    await recordAsset(client, stored, asset);
  }
  if (bundle === undefined) return;
  await recordAsset(client, bundle, { ...about, kind: "bundle", name: "result.bundle" });
}
