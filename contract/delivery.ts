// A delivery: one message to an app, and how sending it went.
import { z } from "zod";

export const DeliveryState = z.enum([
  "pending",
  "sending",
  "delivered",
  "failed",
  "quarantined",
  "split",
  "cancelled",
]);
export type DeliveryState = z.infer<typeof DeliveryState>;

export const Delivery = z
  .object({
    id: z.uuid(),
    app: z.uuid(),
    watch: z.uuid().nullable(),
    url: z.string().nullable().describe("the watched repository"),
    type: z.string(),
    state: DeliveryState,
    commit: z.string().nullable(),
    files: z.int().describe("how many it names"),
    first_path: z.string().nullable(),
    attempt: z.int(),
    waits: z.boolean().describe("an earlier message about one of its paths goes first"),
    status_code: z.int().nullable().describe("of the last answer"),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    due_at: z.iso.datetime().nullable().describe("when it is tried next"),
    replay_of: z.uuid().nullable(),
    created_at: z.iso.datetime(),
    settled_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryAttempt = z
  .object({
    attempt: z.int(),
    chunk: z.int().nullable().describe("of a large file"),
    at: z.iso.datetime(),
    duration_ms: z.int(),
    status_code: z.int().nullable(),
    request: z.record(z.string(), z.unknown()),
    response: z.record(z.string(), z.unknown()).nullable().describe("its first 2 KiB"),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: "DeliveryAttempt" });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const DeliveryDetails = Delivery.extend({
  parts: z
    .array(
      z.object({
        id: z.uuid(),
        state: DeliveryState,
        files: z.int(),
        replay_of: z.uuid().nullable(),
      }),
    )
    .describe("others of the same message of its sync: halves, replays; at most 100"),
  paths: z.array(z.object({ path: z.string(), change: z.string() })).describe("at most 1,000"),
  attempts: z.array(DeliveryAttempt).describe("newest first, the last 50"),
}).meta({ id: "DeliveryDetails" });
export type DeliveryDetails = z.infer<typeof DeliveryDetails>;

export const DeliveryQuery = z.strictObject({
  app: z.uuid().optional(),
  watch: z.uuid().optional(),
  state: DeliveryState.optional(),
  type: z
    .string()
    .regex(/^[a-z]+\.?[a-z]+$/)
    .max(40)
    .optional()
    .describe("`files.changed`, `ping`, …"),
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type DeliveryQuery = z.infer<typeof DeliveryQuery>;

export const DeliveryList = z
  .object({
    deliveries: z.array(Delivery).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "DeliveryList" });
export type DeliveryList = z.infer<typeof DeliveryList>;
