// What the job of a step says at its end.
import { z } from "zod";

const Stored = z.object({ sha256: z.string(), generation: z.uuid(), bytes: z.int() });

export const StepResult = z.object({
  outputs: z.record(z.string(), z.string()).optional(),
  commit: z.string().optional(),
  base: z.string().optional(),
  branch: z.string().optional(),
  summary: z.string().optional(),
  report: z.record(z.string(), z.json()).optional(),
  artifacts: z.array(Stored.extend({ name: z.string(), media_type: z.string() })).optional(),
  /** What came on top of the base, for workers that do not share this one's disk. */
  bundle: Stored.optional(),
});
export type StepResult = z.infer<typeof StepResult>;

/** What the job that starts a run found out. */
export const StartResult = z.object({
  commit: z.string(),
  uses: z.record(z.string(), z.string()),
});
export type StartResult = z.infer<typeof StartResult>;
