// A kind of work that can be submitted, and what it wants to know.
import { z } from "zod";

export const JobTypeInfo = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "JSON Schema (draft 2020-12) of the input as it is submitted; null where this server does not know it",
      ),
    source: z
      .enum(["built-in", "project"])
      .describe("`project`: a handler of a `croft.config.ts`, here or at another worker"),
  })
  .meta({ id: "JobTypeInfo" });
export type JobTypeInfo = z.infer<typeof JobTypeInfo>;

export const JobTypeList = z
  .object({ job_types: z.array(JobTypeInfo).describe("by name") })
  .meta({ id: "JobTypeList" });
export type JobTypeList = z.infer<typeof JobTypeList>;
