// One action on many jobs, deliveries or watches, as an object that can be followed and aborted.
import { z } from "zod";
import { JobFilter } from "./job.ts";
import { AddressPart, WatchState } from "./watch.ts";

export const BulkAction = z.enum(["cancel", "retry", "replay", "resync"]);
export type BulkAction = z.infer<typeof BulkAction>;

export const ReplayFilter = z.strictObject({
  app: z.uuid().optional(),
  watch: z.uuid().optional(),
  state: z.enum(["failed", "quarantined"]).optional(),
});
export type ReplayFilter = z.infer<typeof ReplayFilter>;

export const ResyncFilter = z.strictObject({
  app: z.uuid().optional(),
  state: WatchState.optional(),
  search: AddressPart.optional(),
});
export type ResyncFilter = z.infer<typeof ResyncFilter>;

export const BulkRequest = z
  .discriminatedUnion("action", [
    z.strictObject({
      action: z.enum(["cancel", "retry"]),
      filter: JobFilter.describe(
        "which of the jobs that exist now; without a status, those that wait or run are cancelled, and those that failed retried",
      ),
    }),
    z.strictObject({
      action: z.literal("replay"),
      filter: ReplayFilter.describe(
        "which of the deliveries that were given up before now; without a state, those that failed and those that are quarantined",
      ),
    }),
    z.strictObject({
      action: z.literal("resync"),
      filter: ResyncFilter.describe("which of the watches that exist now"),
    }),
  ])
  .meta({ id: "BulkRequest" });
export type BulkRequest = z.infer<typeof BulkRequest>;

export const Bulk = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    action: BulkAction,
    filter: z.union([JobFilter, ReplayFilter, ResyncFilter]).describe("by the action"),
    status: z.enum(["running", "done", "aborted"]),
    total: z.int().describe("jobs, deliveries or watches to be gone through"),
    done: z.int(),
    skipped: z
      .int()
      .describe(
        "when their turn came they had ended, were retried or sent already, or could not be any more",
      ),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Bulk" });
export type Bulk = z.infer<typeof Bulk>;
