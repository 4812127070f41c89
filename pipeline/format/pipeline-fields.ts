// What may be said in a pipeline file: the one description that parser, model and JSON Schema are made from.
import { z } from "zod";
import { duration, fields, named, oneOrMore, scalar, shortText, text } from "./field.ts";
import { githubFields } from "./github-fields.ts";
import {
  envFields,
  retryFields,
  SANDBOXES,
  SHELLS,
  secretsFields,
  stepFields,
} from "./step-fields.ts";
import { kind, repositoryFields } from "./workspace-fields.ts";

export const OVERLAPS = ["skip", "queue", "replace"] as const;
export const INPUT_TYPES = ["string", "number", "boolean", "choice"] as const;

const moment = z.union([
  shortText,
  fields({
    cron: shortText,
    timezone: shortText.optional().describe("as in Europe/Berlin; UTC without"),
    overlap: z
      .enum(OVERLAPS)
      .optional()
      .describe("while the last run has not ended: skip this time (without), queue, or replace it"),
  }),
]);

const onFields = fields({
  github: githubFields.optional().describe("events of GitHub: push, issues.labeled"),
  schedule: oneOrMore(moment).optional().describe("cron lines"),
  change: fields({
    paths: oneOrMore(shortText).optional().describe("globs of files that must have changed"),
    "paths-ignore": oneOrMore(shortText).optional(),
    branches: oneOrMore(shortText)
      .optional()
      .describe("globs of branches; the default branch without"),
  })
    .optional()
    .describe("a commit in the repository"),
});

const inputFields = fields({
  type: z.enum(INPUT_TYPES).optional().describe("string without"),
  description: shortText.optional(),
  required: z.boolean().optional(),
  default: scalar.optional(),
  options: z.array(shortText).min(1, "must not be empty").max(100, "at most 100").optional(),
});

const concurrencyFields = z.union([
  shortText,
  fields({
    key: shortText.describe("runs with the same key share a lane"),
    limit: z
      .int()
      .min(1, "from 1 to 1000")
      .max(1000, "from 1 to 1000")
      .optional()
      .describe("1 without"),
  }),
]);

const checkRunFields = z.union([
  z.boolean(),
  fields({ name: shortText.describe("as GitHub shows it; the pipeline's name without") }),
]);

const defaultsFields = fields({
  timeout: duration.optional(),
  retry: retryFields.optional(),
  sandbox: z.enum(SANDBOXES).optional(),
  network: z.boolean().optional(),
  shell: z.enum(SHELLS).optional(),
  "working-directory": shortText.optional(),
  workspace: fields({
    kind: kind.optional(),
    sparse: oneOrMore(shortText).optional(),
    submodules: z.boolean().optional(),
    lfs: z.boolean().optional(),
  }).optional(),
});

export const pipelineFields = fields({
  name: shortText.optional().describe("the file's name without"),
  description: text.optional(),
  on: onFields.optional().describe("what starts it, once it is stored"),
  inputs: named(z.union([z.null(), inputFields])).optional(),
  repository: repositoryFields
    .optional()
    .describe("that of the event, watch or local checkout without; required with a schedule"),
  concurrency: concurrencyFields.optional(),
  check: checkRunFields
    .optional()
    .describe(
      "whether GitHub shows runs that its events started as checks; without, those of push and pull_request",
    ),
  env: envFields.optional().describe("for all steps"),
  secrets: secretsFields.optional().describe("for all steps"),
  defaults: defaultsFields.optional().describe("for all steps that say nothing else"),
  outputs: named(shortText).optional().describe("what a pipeline that uses this one gets back"),
  steps: named(stepFields),
});
export type PipelineFields = z.infer<typeof pipelineFields>;
