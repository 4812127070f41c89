// A job that is submitted again and again, by the clock.
import { z } from "zod";
import { JobSubmission, Name } from "./job.ts";

export const ScheduleOverlap = z.enum(["skip", "queue", "replace"]);

const ScheduledJob = JobSubmission.omit({ run_at: true, dedupe: true });
const Cron = z.string().min(1).max(200).describe("five fields, or six with seconds");
const TimeZone = z.string().min(1).max(64).describe("as in `Europe/Berlin`");

export const NewSchedule = z
  .strictObject({
    name: Name.describe("yours, and only once"),
    cron: Cron,
    time_zone: TimeZone.prefault("UTC"),
    overlap: ScheduleOverlap.prefault("skip").describe(
      "while the last job still waits or runs: skip this time, queue another, or replace the last",
    ),
    paused: z.boolean().prefault(false),
    job: ScheduledJob,
  })
  .meta({ id: "NewSchedule" });
export type NewSchedule = z.infer<typeof NewSchedule>;

/** What is not named stays. A new `job` takes the whole of the old one's place. */
export const ScheduleChange = z
  .strictObject({
    name: Name.optional(),
    cron: Cron.optional(),
    time_zone: TimeZone.optional(),
    overlap: ScheduleOverlap.optional(),
    paused: z.boolean().optional(),
    job: ScheduledJob.optional(),
  })
  .meta({ id: "ScheduleChange" });
export type ScheduleChange = z.infer<typeof ScheduleChange>;

export const Schedule = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    name: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    overlap: ScheduleOverlap,
    paused: z.boolean(),
    job: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("what it submits; null of a pipeline's"),
    pipeline: z
      .string()
      .nullable()
      .describe("the stored pipeline that it starts runs of, and that it belongs to"),
    next_at: z.iso.datetime().nullable().describe("null while it is paused"),
    last_at: z.iso.datetime().nullable().describe("when it last started something"),
    last_job_id: z.uuid().nullable(),
    last_run_id: z.uuid().nullable(),
    last_error: z.string().nullable().describe("why the last time started nothing"),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleQuery = z.strictObject({
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type ScheduleQuery = z.infer<typeof ScheduleQuery>;

export const ScheduleList = z
  .object({
    schedules: z.array(Schedule).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "ScheduleList" });
export type ScheduleList = z.infer<typeof ScheduleList>;
