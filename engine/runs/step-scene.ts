// Everything that the job of a step needs to know, read once at its beginning.
import { type Git, parseRemoteUrl, type RemoteAccess, type RemoteUrl } from "@croft/git";
import {
  type ExpressionContext,
  ExpressionFailure,
  ExpressionWork,
  type Pipeline,
  type Step,
} from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import type { GithubApp } from "../github/github-app.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { type Log, logWith } from "../log.ts";
import { addressRules, wayTo } from "../secrets/credential-access.ts";
import { openCredential } from "../secrets/credential-store.ts";
import type { Vault } from "../secrets/vault.ts";
import { artifactTexts, namedInStep } from "./artifact-texts.ts";
import { namedCredential, openNamed } from "./named-credential.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { isUntrusted, onlyFor } from "./require-trusted.ts";
import { stepContext } from "./run-context.ts";
import { type CarriedStep, type RunRow, readRun, readSteps } from "./run-rows.ts";

export interface StepParts {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly assets: Assets;
  readonly vault: Vault;
  /** Undefined where no App is configured. */
  readonly github?: GithubApp | undefined;
  /** Opened when the first step runs. */
  readonly git: () => Promise<Git>;
}

export interface StepInput {
  readonly run_id: string;
  readonly step: string;
  readonly item: string;
}

/** Where the commits are: at a remote, with results of the owner's own beside it; or all in a checkout on this machine. */
export type RunSource = { readonly remote: RemoteUrl } | { readonly checkout: string };

export interface StepScene {
  readonly parts: StepParts;
  /** Of this process; every line says which run, step and job it is about. */
  readonly log: Log;
  readonly attempt: Attempt<StepInput>;
  readonly git: Git;
  readonly run: RunRow & { readonly commit: string };
  readonly pipeline: Pipeline;
  readonly step: Step;
  readonly row: CarriedStep;
  readonly rows: readonly CarriedStep[];
  readonly context: ExpressionContext;
  readonly source: RunSource;
  /** The id of the one that the pipeline names for its repository. */
  readonly credential: string | undefined;
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
  const texts = await artifactTexts(pool, parts.assets, run, namedInStep(step)).catch(explained);
  return {
    ...{ parts, attempt, pipeline, step, row, rows, log: stepLog(parts.log, attempt) },
    run: { ...run, commit: run.commit },
    git: await parts.git(),
    source: sourceOf(run, parts.config),
    credential: await namedCredential(pool, run),
    context: {
      ...stepContext(pipeline, run, rows, step, row),
      ...{ artifacts: texts, work: new ExpressionWork() },
    },
  };
}

function explained(error: unknown): never {
  if (!(error instanceof ExpressionFailure)) throw error;
  throw new JobFailure("invalid", "expression", error.message, { cause: error });
}

function stepLog(log: Log, { id, attempt, input }: Attempt<StepInput>): Log {
  const { run_id: run, step, item } = input;
  return logWith(log, { run, step, ...(item === "" ? {} : { item }), job: id, attempt });
}

export function sourceOf(
  { repository, kind, owner }: Pick<RunRow, "repository" | "kind" | "owner">,
  config: Config,
): RunSource {
  if (kind === "worktree") return { checkout: repository };
  return { remote: parseRemoteUrl(repository, addressRules(config, owner)) };
}

/** With the credential that is named for this remote, else the owner's own for it, if there is one. */
export async function accessTo(
  { parts, run, signal }: Pick<StepScene, "parts" | "signal"> & { readonly run: RunRow },
  remote: RemoteUrl,
  credential: string | undefined,
): Promise<RemoteAccess> {
  const found =
    credential === undefined
      ? await openCredential(parts.vault, run.owner, remote)
      : await openNamed(parts.vault, run.owner, { id: credential, remote });
  const isNamed = credential !== undefined;
  const way = { signal, ...wayTo(parts, run.owner, { remote, found, isNamed }) };
  const { tokens } = way;
  if (tokens === undefined || !(await isUntrusted(parts.database.pool, run))) return way;
  return { ...way, tokens: onlyFor(remote, tokens) };
}

/** Where a run on a checkout keeps what it began at. Names of steps begin with a letter. */
export function startRef(runId: string): string {
  return `refs/croft/runs/${runId}/_start`;
}

/** Where the commit of a step or an item is kept. */
export function resultRef(runId: string, step: string, item: string): string {
  return `refs/croft/runs/${runId}/${step}${item === "" ? "" : `/${item}`}`;
}
