// One action on many jobs, as an object that can be followed and aborted.
import { z } from "zod";
import { JobFilter } from "./job.ts";

export const BulkRequest = z
  .strictObject({
    action: z.enum(["cancel", "retry"]),
    filter: JobFilter.describe("which jobs; those that exist now"),
  })
  .meta({ id: "BulkRequest" });
export type BulkRequest = z.infer<typeof BulkRequest>;

export const Bulk = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    action: z.enum(["cancel", "retry"]),
    filter: JobFilter,
    status: z.enum(["running", "done", "aborted"]),
    total: z.int(),
    done: z.int(),
    skipped: z.int().describe("had ended, or could not be retried, when their turn came"),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Bulk" });
export type Bulk = z.infer<typeof Bulk>;
