// One action on many jobs, as an object that can be followed and aborted.
import { z } from "zod";
import { JobFilter } from "./job.ts";

export const BulkAction = z.enum(["cancel", "retry"]);
export type BulkAction = z.infer<typeof BulkAction>;

export const BulkRequest = z
  .strictObject({
    action: BulkAction,
    filter: JobFilter.describe(
      "which of the jobs that exist now; without a status, those that wait or run are cancelled, and those that failed retried",
    ),
  })
  .meta({ id: "BulkRequest" });
export type BulkRequest = z.infer<typeof BulkRequest>;

export const Bulk = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    action: BulkAction,
    filter: JobFilter,
    status: z.enum(["running", "done", "aborted"]),
    total: z.int().describe("jobs to be gone through"),
    done: z.int(),
    skipped: z
      .int()
      .describe("had ended, were retried already or could not be retried, when their turn came"),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Bulk" });
export type Bulk = z.infer<typeof Bulk>;
