// The numbers on the dashboard's first page.
import { z } from "zod";

export const Overview = z
  .object({
    version: z.string(),
    started_at: z.iso.datetime(),
    now: z.iso.datetime(),
    host: z.string(),
    process: z.object({
      pid: z.int(),
      node_version: z.string(),
      rss_bytes: z.int(),
      event_loop_p99_ms: z
        .number()
        .describe("delay of the event loop, over the last minute at the most"),
    }),
    database: z.object({
      mode: z.enum(["embedded", "external"]),
      version: z.string(),
      size_bytes: z.int(),
      connections: z.int(),
      round_trip_ms: z.number(),
    }),
    disk: z.object({ path: z.string(), free_bytes: z.int(), total_bytes: z.int() }),
    requests: z.object({
      total: z.int().describe("answered since the start"),
      failed: z.int().describe("of these, answered with 5xx"),
    }),
    apps: z.object({
      total: z.int(),
      stopped: z.int().describe("whose address fails or is gone"),
      failing_watches: z.int(),
      failed_deliveries: z
        .int()
        .describe("given up; up to 1,001, which stands for anything beyond 1,000"),
      quarantined_deliveries: z.int().describe("set aside; up to 1,001"),
      expiring_credentials: z.int().describe("that expire within a week, or have expired"),
    }),
    admins: z.int(),
    sessions: z.int().describe("places where admins are signed in"),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof Overview>;
