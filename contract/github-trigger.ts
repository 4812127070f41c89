// Which events of GitHub start a stored pipeline, as the API shows it.
import { z } from "zod";

export const GithubTrigger = z
  .object({
    events: z.array(z.string()).describe("`push`, or with an action `issues.labeled`"),
    repositories: z.array(z.string()).describe("globs of owner/name; empty: all"),
    branches: z.array(z.string()),
    paths: z.array(z.string()),
    paths_ignore: z.array(z.string()),
    labels: z.array(z.string()),
    senders: z.array(z.string()),
    command: z.string().nullable(),
    anyone: z.boolean().describe("takes the command from people who may not write, too"),
    drafts: z.boolean(),
    ignore_bots: z.boolean(),
    forks: z.enum(["untrusted", "trusted"]),
    supersede: z.boolean(),
    priority: z.enum(["background", "normal", "interactive"]).nullable(),
    key: z.string().nullable(),
  })
  .meta({ id: "GithubTrigger" });
export type GithubTrigger = z.infer<typeof GithubTrigger>;
