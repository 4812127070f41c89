// The queue seen from above: lanes with their limits, owners, and what waits where.
import { z } from "zod";
import { Name } from "./job.ts";

export const Lane = z
  .object({
    id: z.guid().describe("follows from owner and key"),
    owner: z.string(),
    key: z
      .string()
      .nullable()
      .describe("null: the owner's jobs without a key, which have no limit"),
    limit: z.int().nullable(),
    has_own_limit: z.boolean(),
    paused: z.boolean(),
    running: z.int(),
    queued: z.int().describe("due and in line"),
    used_at: z.iso.datetime(),
  })
  .meta({ id: "Lane" });
export type Lane = z.infer<typeof Lane>;

export const LaneQuery = z.strictObject({
  owner: Name.optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type LaneQuery = z.infer<typeof LaneQuery>;

export const LaneList = z
  .object({ lanes: z.array(Lane), next_cursor: z.string().nullable() })
  .meta({ id: "LaneList" });
export type LaneList = z.infer<typeof LaneList>;

export const LaneChange = z
  .strictObject({
    limit: z.int().min(1).max(10_000).nullable().optional().describe("null: the default again"),
    paused: z.boolean().optional(),
  })
  .meta({ id: "LaneChange" });
export type LaneChange = z.infer<typeof LaneChange>;

export const QueueState = z
  .object({
    running: z.int(),
    limit: z.int().nullable().describe("null: as many as there are slots"),
    queued: z.int().describe("due and in line"),
    delayed: z.int().describe("not due yet"),
    slots: z.int().describe("of all workers that live"),
    owners: z
      .array(
        z.object({
          owner: z.string(),
          running: z.int(),
          limit: z.int(),
          queued: z.int(),
          lanes: z.int(),
        }),
      )
      .describe("those with work, the busiest first, at most 100"),
  })
  .meta({ id: "QueueState" });
export type QueueState = z.infer<typeof QueueState>;
