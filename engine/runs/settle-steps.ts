// Takes over what has become of a run's steps: their jobs have ended, sub-pipelines too, or nobody answered in time.
import type { JobError } from "@croft/contract";
import { AssetError } from "../assets/asset-error.ts";
import { recordAsset } from "../assets/store-asset.ts";
import type { Queryable } from "../database/in-transaction.ts";
import type { CarriedStep, RunRow } from "./run-rows.ts";
import type { StepStatus } from "./run-state.ts";
import { StepResult } from "./step-result.ts";

/** How a step has ended. */
export interface StepEnd {
  readonly status: StepStatus;
  readonly result: StepResult;
  readonly error?: JobError | undefined;
}

/** Undefined while it goes on. */
export function endOf(row: CarriedStep, now: Date): StepEnd | undefined {
  if (row.status === "waiting") {
    if (row.deadline_at === null || row.deadline_at > now) return undefined;
    return failure("timeout", "approval-timeout", "nobody approved it in time");
  }
  if (row.status !== "running" || row.is_group) return undefined;
  if (row.child_id !== null) return endOfChild(row);
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
  const read = StepResult.shape.report.safeParse(details);
  return { status: "failed", result: { report: read.data }, error: plain };
}

function endOfChild({
  child_status,
  child_outputs,
  child_error,
}: CarriedStep): StepEnd | undefined {
  switch (child_status) {
    case "done": {
      const outputs = Object.entries(child_outputs ?? {}).map(
        ([name, value]) => [name, String(value)] as const,
      );
      return { status: "done", result: { outputs: Object.fromEntries(outputs) } };
    }
    case "failed":
    case "cancelled":
      return { status: child_status, result: {}, error: child_error ?? undefined };
    case null:
      return failure("lost", "run-gone", "its run is not there any more");
    default:
      return undefined;
  }
}

function failure(failureClass: JobError["class"], code: string, message: string): StepEnd {
  return { status: "failed", result: {}, error: { class: failureClass, code, message } };
}

/** Its files become visible together with its end. */
export async function recordEnd(
  client: Queryable,
  run: RunRow,
  row: CarriedStep,
  ended: StepEnd,
): Promise<StepEnd> {
  const { result } = ended;
  try {
    await recordFiles(client, run, row, result);
  } catch (error) {
    if (!(error instanceof AssetError)) throw error;
    return await recordEnd(client, run, row, failure("lost", error.code, error.message));
  }
  await client.query(
    `update croft.run_step set status = $4, outputs = $5, commit = $6, base = $7, branch = coalesce($8, branch),
       report = $9, summary = $10, error = $11, finished_at = croft.now()
     where run_id = $1 and step = $2 and item = $3`,
    [
      ...[run.id, row.step, row.item, ended.status],
      ...[json(result.outputs), result.commit, result.base, result.branch],
      ...[json(result.report), result.summary, json(ended.error)],
    ],
  );
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
  };
  for (const { name, media_type, ...stored } of artifacts) {
    const asset = { ...about, kind: "artifact" as const, name, mediaType: media_type };
    await recordAsset(client, storedFile(stored), asset);
  }
  if (bundle === undefined) return;
  await recordAsset(client, storedFile(bundle), {
    ...about,
    kind: "bundle",
    name: "result.bundle",
  });
}

function storedFile({ sha256, bytes, claimed_until }: NonNullable<StepResult["bundle"]>) {
  return { sha256, bytes, claimedUntil: new Date(claimed_until) };
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
