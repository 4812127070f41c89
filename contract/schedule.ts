// A job that is submitted again and again, by the clock.
import { z } from "zod";
import { JobSubmission, Name } from "./job.ts";

export const ScheduleOverlap = z.enum(["skip", "queue", "replace"]);

const ScheduledJob = JobSubmission.omit({ run_at: true, dedupe: true });

export const NewSchedule = z
  .strictObject({
    name: Name,
    cron: z.string().min(1).max(200).describe("five fields, or six with seconds"),
    time_zone: z.string().min(1).max(64).prefault("UTC").describe("as in `Europe/Berlin`"),
    overlap: ScheduleOverlap.prefault("skip").describe(
      "while the last job still waits or runs: skip this time, queue another, or replace the last",
    ),
    paused: z.boolean().prefault(false),
    job: ScheduledJob,
  })
  .meta({ id: "NewSchedule" });
export type NewSchedule = z.infer<typeof NewSchedule>;

export const ScheduleChange = z
  .strictObject({
    cron: NewSchedule.shape.cron.optional(),
    time_zone: z.string().min(1).max(64).optional(),
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
    job: z.record(z.string(), z.unknown()),
    next_at: z.iso.datetime(),
    last_at: z.iso.datetime().nullable(),
    last_job_id: z.uuid().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ schedules: z.array(Schedule) }).meta({ id: "ScheduleList" });
