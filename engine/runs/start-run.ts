// Starts a run of a pipeline.
import type { JobPriority } from "@croft/contract";
import { parseRemoteUrl, RemoteUrlError } from "@croft/git";
import { ExpressionFailure, evaluateText, type Pipeline, readInputs } from "@croft/pipeline";
import type { Config } from "../config/config.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { worktreeFault } from "./checkout-steps.ts";
import { createRun, type NewRun } from "./create-run.ts";
import type { FoundCheckout } from "./look-at-checkout.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { noWorktree } from "./run-command-step.ts";
import { addressRules } from "./step-scene.ts";
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
  readonly startedBy: string;
  readonly pipeline?: NewRun["pipeline"];
}

const CLASSES = { background: 0, normal: 1, interactive: 2 } as const;

type StartParts = Pick<Engine, "database" | "intake" | "config">;

/** Resolves when the run is durable. */
export async function startRun(parts: StartParts, request: RunRequest): Promise<string> {
  const start = (client: Queryable) => startRunWithin(parts, client, request);
  return await despiteDeadlocks(() => inTransaction(parts.database, start));
}

/** In the caller's transaction. */
export async function startRunWithin(
  { intake, config }: Pick<StartParts, "intake" | "config">,
  client: Queryable,
  request: RunRequest,
): Promise<string> {
  const { owner, text, file = null, inputs, event = null, startedBy } = request;
  const pipeline = pipelineOf({ text, file });
  const source = beginningOf(pipeline, request, config);
  const id = await createRun(client, {
    ...{ owner, text, file, inputs, event, startedBy, pipeline: request.pipeline },
    ...{ ...source, class: CLASSES[request.priority] },
  }).catch(explained);
  const { rows } = await client.query<{ key: string }>("select key from croft.run where id = $1", [
    id,
  ]);
  const key = rows[0]?.key ?? "";
  const jobId = await submitStart(intake, client, {
    ...{ id, owner, key, class: CLASSES[request.priority] },
  });
  await client.query("update croft.run set start_job_id = $2 where id = $1", [id, jobId]);
  const limit = pipeline.concurrency?.limit;
  if (key !== "" && limit !== undefined) {
    // What an admin has set for the lane stays.
    await client.query(
      `select croft.change_lane(id, $3, true, null) from croft.lane
       where id = croft.lane_id($1, $2) and not has_own_limit and max_running <> $3`,
      [owner, key, limit],
    );
  }
  return id;
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
