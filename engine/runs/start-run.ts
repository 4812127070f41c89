// Starts a run of a pipeline.
import type { JobPriority } from "@croft/contract";
import { parseRemoteUrl, RemoteUrlError } from "@croft/git";
import { ExpressionFailure, evaluateText, type Pipeline } from "@croft/pipeline";
import type { Config } from "../config/config.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { createRun, type NewRun } from "./create-run.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { submitStart } from "./run-changes.ts";

export interface RunRequest {
  readonly owner: string;
  readonly text: string;
  readonly file?: string | undefined;
  readonly inputs: NewRun["inputs"];
  readonly event?: NewRun["event"] | undefined;
  /** Instead of the one that the pipeline names. */
  readonly repository?: string | undefined;
  readonly ref?: string | undefined;
  readonly kind?: NonNullable<NewRun["kind"]> | undefined;
  readonly priority: JobPriority;
  readonly startedBy: string;
  readonly pipeline?: NewRun["pipeline"];
}

const CLASSES = { background: 0, normal: 1, interactive: 2 } as const;

/** Resolves when the run is durable. */
export async function startRun(
  { database, intake, config }: Pick<Engine, "database" | "intake" | "config">,
  request: RunRequest,
): Promise<string> {
  const { owner, text, file = null, inputs, event = null, kind = null, startedBy } = request;
  const pipeline = pipelineOf({ text, file });
  const source = sourceOf(pipeline, request, config);
  const write = async (client: Queryable) => {
    const id = await createRun(client, {
      ...{ owner, text, file, inputs, event, kind, startedBy, pipeline: request.pipeline },
      ...{ ...source, class: CLASSES[request.priority] },
    });
    const { rows } = await client.query<{ key: string }>(
      "select key from croft.run where id = $1",
      [id],
    );
    const key = rows[0]?.key ?? "";
    const jobId = await submitStart(intake, client, {
      id,
      owner,
      key,
      class: CLASSES[request.priority],
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
  };
  return await despiteDeadlocks(() => inTransaction(database, write)).catch(explained);
}

/** What only the values of this run make wrong. */
function explained(error: unknown): never {
  if (!(error instanceof ExpressionFailure)) throw error;
  throw new EngineError("invalid-input", error.message, { cause: error });
}

function sourceOf(pipeline: Pipeline, request: RunRequest, { git }: Pick<Config, "git">) {
  try {
    const source = repositoryOf(pipeline, request);
    parseRemoteUrl(source.repository, git);
    return source;
  } catch (error) {
    if (error instanceof RemoteUrlError) throw new EngineError("invalid-input", error.message);
    return explained(error);
  }
}

function repositoryOf(
  pipeline: Pipeline,
  { repository, ref, inputs, event = {} }: RunRequest,
): { readonly repository: string; readonly ref: string | null } {
  const context = { inputs, event };
  const own = pipeline.repository;
  const url = repository ?? (own === undefined ? undefined : evaluateText(own.url, context));
  if (url === undefined || url === "") {
    throw new EngineError(
      "invalid-input",
      "which repository? Name one in the pipeline ('repository:') or with the request",
    );
  }
  const named =
    own?.ref === undefined || repository !== undefined ? undefined : evaluateText(own.ref, context);
  return { repository: url, ref: ref ?? named ?? null };
}
