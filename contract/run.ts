// A run: one execution of a pipeline, with its steps.
import { z } from "zod";
import { GithubTrigger } from "./github-trigger.ts";
import { JobError, JobPriority, Name } from "./job.ts";
import { OwnerQuery } from "./secret.ts";
import { StorableText } from "./storable-text.ts";

export const RunStatus = z.enum(["queued", "running", "waiting", "done", "failed", "cancelled"]);
export type RunStatus = z.infer<typeof RunStatus>;

const InputValue = z.union([StorableText.max(65_536), z.number(), z.boolean()]);
const PipelineText = StorableText.min(1).max(1_048_576).describe("YAML; see docs/pipelines.md");

const AbsolutePath = StorableText.max(4096).regex(/^\//, "must be an absolute path");

/** As `uses` can name it. */
export const PipelineName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    "must be letters, digits, _ and -, at most 64, and begin with a letter",
  );

export const NewRun = z
  .strictObject({
    pipeline: PipelineName.optional().describe("the name of a stored pipeline; or else `text`"),
    text: PipelineText.optional(),
    file: StorableText.min(1)
      .max(1000)
      .optional()
      .describe("where the text comes from, for messages"),
    inputs: z.record(StorableText.max(200), InputValue).prefault({}),
    repository: StorableText.min(1)
      .max(2000)
      .optional()
      .describe("instead of the one that the pipeline names"),
    ref: StorableText.min(1)
      .max(1000)
      .optional()
      .describe("branch, tag or commit; its default branch"),
    checkout: z
      .strictObject({
        path: AbsolutePath.describe("any path in it, on the server's machine"),
        uncommitted: z.boolean().prefault(false).describe("with what is not committed there"),
        excludes_file: AbsolutePath.optional().describe("what its owner ignores everywhere"),
      })
      .optional()
      .describe("instead of a repository; only with the token of the machine itself"),
    priority: JobPriority.prefault("normal"),
    source_task_id: Name.optional().describe(
      "an id of yours, to find the run by, and all its jobs and assets",
    ),
    notify: z
      .boolean()
      .optional()
      .describe("apps only: `run.finished` is delivered to `base_url` whenever it has ended"),
  })
  .refine(({ pipeline, text }) => (pipeline === undefined) !== (text === undefined), {
    message: "name a stored pipeline, or send a text",
    path: ["pipeline"],
  })
  .refine(({ repository, checkout }) => repository === undefined || checkout === undefined, {
    message: "name a repository, or a checkout",
    path: ["checkout"],
  })
  .meta({ id: "NewRun" });
export type NewRun = z.infer<typeof NewRun>;

export const StepIntegration = z
  .object({
    integrated: z.array(z.string()).describe("in this order"),
    conflicts: z.array(
      z.object({
        id: z.string().describe("of the step, or of the item"),
        reason: z.string(),
        files: z.array(z.string()),
        files_left_out: z.int().describe("how many more there are than are listed"),
      }),
    ),
    left_out: z
      .array(z.object({ id: z.string(), result: z.string().describe("`failed` and its like") }))
      .prefault([])
      .describe("those that have made nothing to merge"),
  })
  .meta({ id: "StepIntegration" });
export type StepIntegration = z.infer<typeof StepIntegration>;

export const RunStep = z
  .object({
    step: z.string(),
    item: z.string().nullable().describe("of a matrix; null for the step itself"),
    name: z.string(),
    kind: z.enum(["run", "uses", "integrate", "approval", "publish", "comment"]),
    needs: z.array(z.string()),
    status: z.enum([
      ...(["pending", "queued", "running", "waiting"] as const),
      ...(["done", "failed", "skipped", "cancelled"] as const),
    ]),
    reason: z.string().nullable().describe("why it was skipped or cancelled"),
    job_id: z.uuid().nullable(),
    run_id: z.uuid().nullable().describe("of a sub-pipeline"),
    attempt: z.int().nullable().describe("of its job"),
    outputs: z.record(z.string(), z.unknown()),
    commit: z.string().nullable(),
    branch: z.string().nullable(),
    report: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("what else it has to say: its workspace, warnings of checks"),
    integration: StepIntegration.nullable().describe("of an integrate step, failed or not"),
    message: z.string().nullable().describe("what whoever is asked for an approval is told"),
    summary: z.string().nullable(),
    error: JobError.nullable(),
    matrix: z.record(z.string(), z.unknown()).nullable(),
    decided_by: z.string().nullable(),
    decided_at: z.iso.datetime().nullable().describe("when somebody said yes or no"),
    deadline_at: z.iso.datetime().nullable(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "RunStep" });
export type RunStep = z.infer<typeof RunStep>;

export const Run = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    name: z.string(),
    number: z.int(),
    status: RunStatus,
    pipeline: z
      .object({ id: z.uuid(), version: z.int() })
      .nullable()
      .describe("the stored one it is a run of"),
    file: z.string().nullable(),
    inputs: z.record(z.string(), z.unknown()),
    outputs: z.record(z.string(), z.unknown()).nullable(),
    repository: z.string(),
    ref: z.string().nullable(),
    commit: z.string().nullable().describe("known when it has started"),
    key: z.string().nullable().describe("of its lane"),
    attempt: z.int().describe("1, and one more with each retry"),
    parent_id: z.uuid().nullable(),
    started_by: z.string(),
    source_task_id: z.string().nullable(),
    cancel_requested: z.boolean(),
    error: JobError.nullable(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

export const RunDetail = Run.extend({
  text: z.string().describe("exactly what ran"),
  steps: z.array(RunStep).describe("in the order of the file; items after their step"),
}).meta({ id: "RunDetail" });
export type RunDetail = z.infer<typeof RunDetail>;

export const StartedRun = RunDetail.extend({
  warnings: z.array(z.string()).describe("what whoever started it should know"),
}).meta({ id: "StartedRun" });
export type StartedRun = z.infer<typeof StartedRun>;

export const RunWorkspace = z
  .object({
    id: z.string(),
    kind: z.enum(["overlay", "clone", "worktree"]),
    path: z.string(),
    host: z.string().describe("whose disk it is on: the random name of its data directory"),
    step: z.string(),
    item: z.string().nullable(),
    job_id: z.uuid(),
    attempt: z.int().describe("of the job"),
    state: z
      .enum(["in-use", "removing", "removed", "left"])
      .describe("`left`: its attempt is over, and the next sweep of its host removes it"),
    created_at: z.iso.datetime(),
    removed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "RunWorkspace" });
export type RunWorkspace = z.infer<typeof RunWorkspace>;

export const RunWorkspaces = z
  .object({
    workspaces: z
      .array(RunWorkspace)
      .describe("those that are still there first, then the newest; at most 500"),
  })
  .meta({ id: "RunWorkspaces" });
export type RunWorkspaces = z.infer<typeof RunWorkspaces>;

export const RunQuery = z.strictObject({
  status: RunStatus.optional(),
  name: Name.optional(),
  source_task_id: Name.optional(),
  cursor: z.string().max(200).optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type RunQuery = z.infer<typeof RunQuery>;

export const RunList = z
  .object({ runs: z.array(Run).describe("newest first"), next_cursor: z.string().nullable() })
  .meta({ id: "RunList" });
export type RunList = z.infer<typeof RunList>;

export const RunRetry = z
  .strictObject({
    from: StorableText.min(1)
      .max(200)
      .optional()
      .describe("do this step again, and all that need it"),
  })
  .meta({ id: "RunRetry" });

export const RunApproval = z
  .strictObject({
    step: StorableText.min(1).max(200),
    approve: z.boolean().prefault(true).describe("false refuses it"),
  })
  .meta({ id: "RunApproval" });

export const NewPipeline = z.strictObject({ text: PipelineText }).meta({ id: "NewPipeline" });

export const PipelineQuery = OwnerQuery.extend({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe("the newest without one"),
});
export type PipelineQuery = z.infer<typeof PipelineQuery>;

const PipelineTriggers = z
  .object({
    github: z.array(GithubTrigger),
    schedule: z.array(
      z.object({
        cron: z.string(),
        timezone: z.string(),
        overlap: z.enum(["skip", "queue", "replace"]),
      }),
    ),
    change: z
      .object({
        paths: z.array(z.string()),
        paths_ignore: z.array(z.string()),
        branches: z.array(z.string()),
      })
      .optional(),
  })
  .describe("what starts it, as its newest version says");

export const StoredPipeline = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    name: z.string(),
    version: z.int(),
    text: z.string(),
    on: PipelineTriggers,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "StoredPipeline" });
export type StoredPipeline = z.infer<typeof StoredPipeline>;

export const PipelineList = z
  .object({ pipelines: z.array(StoredPipeline.omit({ text: true })) })
  .meta({ id: "PipelineList" });
export type PipelineList = z.infer<typeof PipelineList>;
