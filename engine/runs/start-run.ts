// Starts a run of a pipeline.
import type { JobPriority } from "@croft/contract";
import { parseRemoteUrl, RemoteUrlError } from "@croft/git";
import { ExpressionFailure, evaluateText, type Pipeline, readInputs } from "@croft/pipeline";
import type { Config } from "../config/config.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { digestOf, keyReused, requireHearer } from "../jobs/submit-jobs.ts";
import { newId } from "../new-id.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { worktreeFault } from "./checkout-steps.ts";
import { createRun, type NewRun } from "./create-run.ts";
import type { FoundCheckout } from "./look-at-checkout.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { noWorktree } from "./run-command-step.ts";
import type { RunRow } from "./run-rows.ts";
import { submitStart } from "./submit-start.ts";

export interface RunRequest {
  readonly owner: string;
  readonly text: string;
  readonly file?: string | undefined;
  readonly inputs: NewRun["inputs"];
  readonly event?: NewRun["event"] | undefined;
  /** Instead of the one that the pipeline names. */
  readonly repository?: string | undefined;
  readonly ref?: string | undefined;
  /** Instead of a remote: a checkout of this machine, as `lookAtCheckout` found it. */
  readonly checkout?: Pick<FoundCheckout, "path" | "commit"> | undefined;
  readonly priority: JobPriority;
  /** Its app is told whenever it has ended. */
  readonly notify?: boolean | undefined;
  /** Of its lane, instead of what the pipeline says. */
  readonly key?: string | undefined;
  /** Of its lane, where the pipeline says nothing. */
  readonly usualKey?: string | undefined;
  /** It begins when all work before it in this line of its owner has ended. */
  readonly line?: string | undefined;
  readonly startedBy: string;
  /** An id of its owner's, to find it and all that it makes by. */
  readonly sourceTaskId?: string | undefined;
  readonly pipeline?: NewRun["pipeline"];
  /** The same request under the same key within a day is the same run. */
  readonly idempotency?: { readonly key: string; readonly request: object } | undefined;
}

const CLASSES = { background: 0, normal: 1, interactive: 2 } as const;

type StartParts = Pick<Engine, "database" | "intake" | "config">;

/** Resolves when the run is durable. */
export async function startRun(parts: StartParts, request: RunRequest): Promise<string> {
  pipelineOf({ text: request.text, file: request.file ?? null }); // a long one takes its time, which no transaction should
  const start = (client: Queryable) => startRunWithin(parts, client, request);
  return await despiteDeadlocks(() => inTransaction(parts.database, start));
}

/** In the caller's transaction. */
export async function startRunWithin(
  parts: Pick<StartParts, "intake" | "config">,
  client: Queryable,
  request: RunRequest,
): Promise<string> {
  const prepared = await prepareRun(parts, client, request);
  if (typeof prepared === "string") return prepared;
  const jobId = await submitStart(parts.intake, client, prepared, request.line);
  await queueRun(client, prepared, jobId);
  return prepared.id;
}

/** A run that is written, and not in the queue yet. */
export interface PreparedRun
  extends Pick<RunRow, "id" | "owner" | "key" | "class" | "source_task_id"> {
  /** Of its lane, as the pipeline says. */
  readonly limit: number | undefined;
  readonly notify: boolean;
}

/** What comes before any lane is locked; the id of the run that the same request has made before. */
export async function prepareRun(
  { config }: Pick<StartParts, "config">,
  client: Queryable,
  request: RunRequest,
): Promise<PreparedRun | string> {
  const { owner, text, file = null, inputs, event = null, startedBy, sourceTaskId } = request;
  requireHearer(request);
  const pipeline = pipelineOf({ text, file });
  const source = beginningOf(pipeline, request, config);
  const id = newId();
  const earlier = await askedBefore(client, request, id);
  if (earlier !== undefined) return earlier;
  await createRun(client, {
    ...{ id, owner, text, file, inputs, event, startedBy, pipeline: request.pipeline },
    ...{ ...source, class: CLASSES[request.priority] },
    ...{ key: request.key, usualKey: request.usualKey, sourceTaskId },
  }).catch(explained);
  const { rows } = await client.query<{ key: string }>("select key from croft.run where id = $1", [
    id,
  ]);
  return {
    ...{ id, owner, key: rows[0]?.key ?? "", class: CLASSES[request.priority] },
    ...{ source_task_id: sourceTaskId ?? null },
    ...{ limit: pipeline.concurrency?.limit, notify: request.notify === true },
  };
}

/** By the job that gets it its lane. */
export async function queueRun(
  client: Queryable,
  { id, owner, key, limit, notify }: PreparedRun,
  jobId: string,
): Promise<void> {
  await client.query("update croft.run set start_job_id = $2, notify = $3 where id = $1", [
    ...[id, jobId, notify ? true : null],
  ]);
  if (key === "" || limit === undefined) return;
  // What an admin has set for the lane stays.
  await client.query(
    `select croft.change_lane(id, $3, true, null) from croft.lane
     where id = croft.lane_id($1, $2) and not has_own_limit and max_running <> $3`,
    [owner, key, limit],
  );
}

/** The run that the same request has made; else the key is taken for this one. Who asks at the same moment waits. */
async function askedBefore(
  client: Queryable,
  { owner, idempotency }: RunRequest,
  id: string,
): Promise<string | undefined> {
  if (idempotency === undefined) return undefined;
  const { key, request } = idempotency;
  const digest = digestOf(request);
  const { rowCount } = await client.query(
    `insert into croft.run_request (owner, key, digest, run_id, expires_at)
     values ($1, $2, decode($3, 'hex'), $4, croft.now() + interval '24 hours')
     on conflict (owner, key) do update
       set digest = excluded.digest, run_id = excluded.run_id, expires_at = excluded.expires_at
       where run_request.expires_at <= croft.now()`,
    [owner, key, digest, id],
  );
  if (rowCount === 1) return undefined;
  const { rows } = await client.query<{ run_id: string; is_same: boolean }>(
    `select run_id, digest = decode($3, 'hex') as is_same from croft.run_request where owner = $1 and key = $2`,
    [owner, key, digest],
  );
  const [earlier] = rows;
  if (earlier === undefined) throw new Error("a request was forgotten at this very moment");
  if (!earlier.is_same) throw keyReused();
  return earlier.run_id;
}

/** What only the values of this run make wrong. */
function explained(error: unknown): never {
  if (!(error instanceof ExpressionFailure)) throw error;
  throw new EngineError("invalid-input", error.message, { cause: error });
}

function beginningOf(
  pipeline: Pipeline,
  request: RunRequest,
  config: Config,
): Pick<NewRun, "repository" | "ref" | "commit" | "kind"> {
  const { checkout, ref = null, owner } = request;
  requireKinds(pipeline, checkout === undefined);
  if (checkout !== undefined) {
    return { repository: checkout.path, commit: checkout.commit, ref, kind: "worktree" };
  }
  try {
    const source = repositoryOf(pipeline, request);
    parseRemoteUrl(source.repository, addressRules(config, owner));
    return { ...source, kind: null };
  } catch (error) {
    if (error instanceof RemoteUrlError) throw new EngineError("invalid-input", error.message);
    return explained(error);
  }
}

/** What cannot be is told before anything runs. */
function requireKinds({ steps }: Pipeline, isRemote: boolean): void {
  for (const step of steps) {
    if (step.kind !== "run") continue;
    const isWrong = isRemote && step.workspace.kind === "worktree";
    const fault = isRemote ? isWrong && noWorktree(step) : worktreeFault(step);
    if (fault) throw new EngineError("invalid-input", fault);
  }
}

function repositoryOf(
  pipeline: Pipeline,
  { repository, ref, inputs, event = {} }: RunRequest,
): { readonly repository: string; readonly ref: string | null } {
  const context = { inputs: readInputs(pipeline, inputs).inputs, event };
  const own = pipeline.repository;
  const url = repository ?? (own === undefined ? undefined : evaluateText(own.url, context));
  if (url === undefined || url === "") {
    throw new EngineError(
      "invalid-input",
      "which repository? Name one in the pipeline ('repository:') or with the request ('croft run': --repo, or be in a checkout)",
    );
  }
  const named =
    own?.ref === undefined || repository !== undefined ? undefined : evaluateText(own.ref, context);
  return { repository: url, ref: ref ?? named ?? null };
}
