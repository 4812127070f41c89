// Everything that the job of a step needs to know, read once at its beginning.
import {
  type Git,
  parseRemoteUrl,
  type RemoteAccess,
  type RemoteUrl,
  staticToken,
} from "@croft/git";
import type { ExpressionContext, Pipeline, Step } from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { openCredential } from "../secrets/credential-store.ts";
import type { Vault } from "../secrets/vault.ts";
import { artifactTexts } from "./artifact-texts.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { stepContext } from "./run-context.ts";
import { type CarriedStep, type RunRow, readRun, readSteps } from "./run-rows.ts";

export interface StepParts {
  readonly config: Config;
  readonly database: Database;
  readonly assets: Assets;
  readonly vault: Vault;
  /** Opened when the first step runs. */
  readonly git: () => Promise<Git>;
}

export interface StepInput {
  readonly run_id: string;
  readonly step: string;
  readonly item: string;
}

export interface StepScene {
  readonly parts: StepParts;
  readonly attempt: Attempt<StepInput>;
  readonly git: Git;
  readonly run: RunRow & { readonly commit: string };
  readonly pipeline: Pipeline;
  readonly step: Step;
  readonly row: CarriedStep;
  readonly rows: readonly CarriedStep[];
  readonly context: ExpressionContext;
  readonly repository: RemoteUrl;
  /** Ends with the attempt, and with the step's own time. */
  readonly signal: AbortSignal;
}

export async function loadStep(
  parts: StepParts,
  attempt: Attempt<StepInput>,
): Promise<Omit<StepScene, "signal">> {
  const { pool } = parts.database;
  const { run_id: runId, step: id, item } = attempt.input;
  const run = await readRun(pool, runId);
  const rows = await readSteps(pool, runId);
  const row = rows.find((each) => each.step === id && each.item === item);
  if (run?.commit == null || row?.job_id !== attempt.id || row.status !== "running") {
    throw new JobFailure("invalid", "stale-step", "its run has gone on without it");
  }
  const pipeline = pipelineOf(run);
  const step = pipeline.steps.find((each) => each.id === id);
  if (step === undefined) throw new JobFailure("invalid", "stale-step", `no step '${id}'`);
  const texts = await artifactTexts(pool, parts.assets, pipeline, run, rows);
  return {
    ...{ parts, attempt, pipeline, step, row, rows },
    run: { ...run, commit: run.commit },
    git: await parts.git(),
    repository: parseRemoteUrl(run.repository, parts.config.git),
    context: { ...stepContext(pipeline, run, rows, step, row), artifacts: texts },
  };
}

/** With the owner's own credential for this remote, if it has one. */
export async function accessTo(
  { parts, run, signal }: Pick<StepScene, "parts" | "run" | "signal">,
  remote: RemoteUrl,
): Promise<RemoteAccess> {
  const timeoutMs = parts.config.git.timeout;
  const found = await openCredential(parts.vault, run.owner, remote);
  if (found === undefined) return { timeoutMs, signal };
  const { username, value } = found;
  return { timeoutMs, signal, tokens: staticToken({ username, password: value }) };
}

/** Where the commit of a step or an item is kept. */
export function resultRef(runId: string, step: string, item: string): string {
  return `refs/croft/runs/${runId}/${step}${item === "" ? "" : `/${item}`}`;
}
