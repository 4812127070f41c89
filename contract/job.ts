// A job: one unit of durable work, as it is submitted, listed and shown.
import { z } from "zod";
import { storableJson } from "./storable-json.ts";

export const JobStatus = z.enum(["queued", "running", "done", "failed", "cancelled"]);
export type JobStatus = z.infer<typeof JobStatus>;

export const JobPriority = z.enum(["interactive", "normal", "background"]);
export type JobPriority = z.infer<typeof JobPriority>;

/** Names that callers choose: short, and harmless in logs and on terminals. */
export const Name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must have no control characters");

const JsonObject = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => storableJson(value) !== undefined,
    "must not contain U+0000 or half of a surrogate pair, nor be nested deeper than 500",
  );

const YEARS = { min: 2000, max: 9000 } as const;

/** In UTC from here on: not every offset that can be written is one that a database knows. */
const Moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((time) => !Number.isNaN(time.getTime()), "is no time")
  .refine(
    (time) => time.getUTCFullYear() >= YEARS.min && time.getUTCFullYear() < YEARS.max,
    `must lie between ${YEARS.min} and ${YEARS.max}`,
  )
  .transform((time) => time.toISOString());

export const JobType = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,63}$/, "must be a lower-case name of at most 64 characters");

export const JobSubmission = z
  .strictObject({
    type: JobType.describe("what to do; an unknown type is refused with the known ones"),
    input: JsonObject.prefault({}).describe("checked by the type"),
    key: Name.optional().describe("jobs with the same key share a lane and its limit"),
    priority: JobPriority.prefault("normal"),
    run_at: Moment.optional().describe("not before"),
    attempts: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        "how often it may fail; by default 3 for passing faults, 1 for a command that fails",
      ),
    timeout_ms: z
      .int()
      .min(1)
      .max(20 * 86_400_000)
      .optional()
      .describe("longest run of one attempt"),
    dedupe: Name.optional().describe("only one job under this name is queued or running"),
    source_task_id: Name.optional().describe("an id of yours, to find the job by"),
    notify: z
      .boolean()
      .optional()
      .describe("apps only: `job.finished` is delivered to `base_url` when it has ended"),
  })
  .meta({ id: "JobSubmission" });
export type JobSubmission = z.infer<typeof JobSubmission>;

export const JobError = z
  .object({
    code: z.string(),
    message: z.string(),
    class: z.enum(["transient", "lost", "drained", "timeout", "command", "invalid", "cancelled"]),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("what is known about it, by its code; `conflicts`: as in the step's report"),
  })
  .meta({ id: "JobError" });
export type JobError = z.infer<typeof JobError>;

export const WaitingFor = z.enum(["lane", "owner", "global", "worker", "time", "line"]);
export type WaitingFor = z.infer<typeof WaitingFor>;

export const Job = z
  .object({
    id: z.uuid(),
    type: z.string(),
    owner: z.string().describe("`app:<id>`, `installation:<id>` or `local`"),
    key: z.string().nullable(),
    status: JobStatus,
    waiting_for: WaitingFor.nullable().describe("why a queued job does not run"),
    position: z
      .int()
      .nullable()
      .describe("place in its lane's line, from 1; 1,001 stands for anything beyond 1,000"),
    priority: JobPriority,
    attempt: z.int().describe("the newest attempt; 0 before the first"),
    attempts: z.int().nullable().describe("as asked for"),
    timeout_ms: z.int().nullable(),
    input: z.record(z.string(), z.unknown()),
    result: z.unknown().nullable(),
    result_assets: z.array(z.uuid()),
    error: JobError.nullable(),
    progress: z.object({ fraction: z.number().nullable(), note: z.string().nullable() }).nullable(),
    cancel_requested: z.boolean(),
    dedupe: z.string().nullable(),
    source_task_id: z.string().nullable(),
    retry_of: z.uuid().nullable(),
    notify: z.boolean().describe("whether its app is told of its end"),
    run_id: z.uuid().nullable(),
    step: z.string().nullable(),
    worker_id: z.uuid().nullable(),
    created_at: z.iso.datetime(),
    run_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

const Omittable = z.enum(["input", "result"]);

/** In a list, and in `reset` of a job's stream. */
export const ListedJob = Job.extend({
  input: Job.shape.input.nullable().describe("null when it is left out"),
  result: Job.shape.result.describe("null when there is none, or it is left out"),
  omitted: z
    .array(Omittable)
    .describe("left out, because it has more than 8 KiB: `GET /api/jobs/{id}` has it"),
}).meta({ id: "ListedJob" });
export type ListedJob = z.infer<typeof ListedJob>;

/** For whoever needs neither input nor result. */
export type AnyJob = Job | ListedJob;

export const JobFilter = z.strictObject({
  status: JobStatus.optional(),
  type: JobType.optional(),
  owner: Name.optional(),
  key: Name.optional(),
  source_task_id: Name.optional(),
});
export type JobFilter = z.infer<typeof JobFilter>;

export const JobQuery = JobFilter.extend({
  cursor: z.string().max(200).optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type JobQuery = z.infer<typeof JobQuery>;

export const JobList = z
  .object({
    jobs: z.array(ListedJob).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "JobList" });
export type JobList = z.infer<typeof JobList>;
