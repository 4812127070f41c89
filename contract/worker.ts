// A process that runs jobs.
import { z } from "zod";

export const Worker = z
  .object({
    id: z.uuid(),
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    slots: z.int(),
    running: z.int(),
    types: z.array(z.string()),
    state: z
      .enum(["live", "draining", "silent", "ended"])
      .describe("silent: its lease is over, and its jobs are about to go to others"),
    end_reason: z.string().nullable(),
    started_at: z.iso.datetime(),
    lease_until: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Worker" });
export type Worker = z.infer<typeof Worker>;

export const WorkerList = z.object({ workers: z.array(Worker) }).meta({ id: "WorkerList" });
