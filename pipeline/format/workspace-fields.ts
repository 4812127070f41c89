// What may be said about the checkout that a step starts in.
import { z } from "zod";
import { fields, name, named, oneOrMore, shortText } from "./field.ts";

export const WORKSPACE_KINDS = ["overlay", "clone", "worktree"] as const;

export const repositoryFields = z.union([
  shortText,
  fields({
    url: shortText.describe("https or ssh address"),
    ref: shortText.optional().describe("branch, tag or commit id; the default branch without"),
    credential: shortText.optional().describe("the id of a credential"),
  }),
]);

const besides = z.union([
  shortText,
  fields({
    url: shortText,
    ref: shortText.optional(),
    credential: shortText.optional(),
    path: shortText.optional().describe("where in the workspace; its name without"),
  }),
]);

export const kind = z.enum(WORKSPACE_KINDS);
export const workspaceFields = fields({
  from: name.optional().describe("starts at the result of this step"),
  base: shortText
    .optional()
    .describe("starts at this branch, tag or commit; the run's commit without"),
  branch: shortText.optional().describe("the branch that is checked out"),
  history: shortText
    .optional()
    .describe("a branch, tag or commit: $CROFT_MERGE_BASE is where this one has left it"),
  kind: kind.optional().describe("what the machine does best without"),
  sparse: oneOrMore(shortText).optional().describe("only these directories"),
  submodules: z.boolean().optional(),
  lfs: z.boolean().optional(),
  repositories: named(besides).optional().describe("more repositories, checked out beside"),
});
export type WorkspaceFields = z.infer<typeof workspaceFields>;
export type RepositoryFields = z.infer<typeof repositoryFields>;
