// Whether Croft and GitHub are set up for each other: what was asked, what it is, and what to do about it.
import { z } from "zod";

export const GithubCheck = z
  .object({
    name: z
      .string()
      .describe(
        "`app`, `clock`, `permissions`, `events`, `webhook`, `deliveries`, `installation-42`",
      ),
    outcome: z.enum(["ok", "warning", "failed"]).describe("`warning`: it works, but not all of it"),
    detail: z.string(),
    advice: z.string().nullable().describe("what to do, where something is to be done"),
  })
  .meta({ id: "GithubCheck" });
export type GithubCheck = z.infer<typeof GithubCheck>;

export const GithubDiagnosis = z
  .object({
    ok: z.boolean().describe("false when something failed; warnings are allowed"),
    checks: z.array(GithubCheck),
  })
  .meta({ id: "GithubDiagnosis" });
export type GithubDiagnosis = z.infer<typeof GithubDiagnosis>;
