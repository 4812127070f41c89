// What may be said about events of GitHub that start a pipeline.
import { z } from "zod";
import { fields, oneOrMore, shortText } from "./field.ts";

export const PRIORITIES = ["background", "normal", "interactive"] as const;
export const FORKS = ["untrusted", "trusted"] as const;

export const EVENT_NAME_PATTERN = /^[a-z][a-z0-9_]{0,49}(\.[a-z][a-z0-9_]{0,49})?$/;
export const EVENT_NAME_RULE = "expected an event such as push or issues.labeled";
const eventName = z.string().regex(EVENT_NAME_PATTERN, EVENT_NAME_RULE);

const names = oneOrMore(shortText);
const githubTriggerFields = z.union([
  eventName,
  fields({
    event: oneOrMore(eventName).describe("push, issues.labeled"),
    repositories: names.optional().describe("globs of owner/name; all without"),
    branches: names
      .optional()
      .describe("globs: of the branch that was pushed, or that a pull request is to go into"),
    paths: names.optional().describe("globs of files, one of which must have changed"),
    "paths-ignore": names
      .optional()
      .describe("globs of files that do not count as changes of their own"),
    labels: names.optional().describe("one of these was set, or is there"),
    senders: names.optional().describe("who did it: one of these"),
    command: shortText
      .optional()
      .describe(
        "a line of the comment must begin with it: /review; of owners, members and collaborators",
      ),
    anyone: z.boolean().optional().describe("takes the command from everybody; false without"),
    drafts: z.boolean().optional().describe("also pull requests that are drafts; true without"),
    "ignore-bots": z.boolean().optional().describe("nothing that bots do; false without"),
    forks: z
      .enum(FORKS)
      .optional()
      .describe("trusted: pull requests from forks get secrets, too; untrusted without"),
    supersede: z
      .boolean()
      .optional()
      .describe("cancels what an earlier event of the same pull request has started"),
    priority: z.enum(PRIORITIES).optional().describe("interactive for commands, else normal"),
    key: shortText
      .optional()
      .describe("of the lane; that of 'concurrency' without, else the installation's"),
  }),
]);

export const githubFields = oneOrMore(githubTriggerFields);
export type GithubFields = z.infer<typeof githubTriggerFields>;
