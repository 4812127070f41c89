// What may be said about one step, besides its matrix and its workspace.
import { z } from "zod";
import { duration, fields, name, named, oneOrMore, scalar, shortText, text } from "./field.ts";
import { matrixFields } from "./matrix-fields.ts";
import { workspaceFields } from "./workspace-fields.ts";

export const RETRY_POLICIES = ["none", "standard", "aggressive", "patient"] as const;
export const RETRY_CLASSES = ["transient", "command", "timeout", "check"] as const;
export const BACKOFFS = ["none", "linear", "exponential"] as const;
export const SHELLS = ["sh", "bash"] as const;
export const SANDBOXES = ["auto", "on", "off"] as const;

const ATTEMPTS_MAX = 20;

export const retryFields = z.union([
  z.enum(RETRY_POLICIES),
  fields({
    attempts: z
      .int()
      .min(1, `from 1 to ${ATTEMPTS_MAX}`)
      .max(ATTEMPTS_MAX, `from 1 to ${ATTEMPTS_MAX}`)
      .optional()
      .describe("how often in all, the first time included; 3 without"),
    backoff: z.enum(BACKOFFS).optional().describe("how the pause grows; exponential without"),
    delay: duration.optional().describe("the first pause; 1s without"),
    "max-delay": duration.optional().describe("the longest pause; 30s without"),
    on: z
      .array(z.enum(RETRY_CLASSES))
      .min(1, "must not be empty")
      .optional()
      .describe("after which failures; all four without"),
  }),
]);

/** A variable's name; which names are refused is checked later, with a reason. */
const ENV_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const envName = z
  .string()
  .regex(
    ENV_NAME_PATTERN,
    "a variable's name has letters, digits and '_' only, and no digit first",
  );
export const envFields = z.record(envName, scalar);

const secretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/,
    "a secret's name has letters, digits, '_', '-' and '.' only",
  );
export const secretsFields = z.union([
  z.array(secretName).describe("as files in $CROFT_SECRETS"),
  z.record(envName, secretName).describe("as environment variables: NAME: secret"),
]);

const onFailure = z.enum(["fail", "warn", "retry"]);
const checkFields = fields({
  "json-schema": z
    .union([shortText, z.record(z.string(), z.unknown())])
    .optional()
    .describe("a schema, or the path of one in the repository; 'of' names what it is for"),
  of: name.optional().describe("the artifact that 'json-schema' is for"),
  "not-empty": name.optional().describe("an artifact"),
  command: text.optional().describe("must end with 0, in the step's workspace"),
  "no-diff-outside": oneOrMore(shortText)
    .optional()
    .describe("globs: nothing else may have changed"),
  "tests-not-removed": z
    .union([z.literal(true), oneOrMore(shortText)])
    .optional()
    .describe("globs of test files, or true for the usual ones"),
  "on-failure": onFailure.optional().describe("fail without"),
});

const approvalFields = z.union([
  z.literal(true),
  fields({ message: text.optional(), timeout: duration.optional().describe("24h without") }),
]);

const integrateFields = z.union([
  name,
  z.array(name).min(1, "must not be empty"),
  fields({
    from: oneOrMore(name).describe("whose results are merged, in this order"),
    "on-conflict": z
      .enum(["fail", "warn"])
      .optional()
      .describe("what becomes of the step when some could not be merged; fail without"),
    message: shortText.optional().describe("of the merge commits"),
  }),
]);

const pullRequestFields = fields({
  title: shortText,
  body: text.optional(),
  base: shortText.optional().describe("the branch to merge into; the default branch without"),
  draft: z.boolean().optional().describe("opened as a draft; false without"),
});

const publishFields = fields({
  from: name.describe("whose result"),
  branch: shortText,
  "on-conflict": z
    .enum(["fail", "retry"])
    .optional()
    .describe("when the branch has moved meanwhile; fail without"),
  force: z.boolean().optional().describe("replace a branch that is no ancestor of the result"),
  "pull-request": pullRequestFields
    .optional()
    .describe("opened for the branch at GitHub, or updated if Croft has opened one already"),
});

const commentFields = fields({
  body: text,
  on: z
    .union([z.int().min(1, "must be a number of an issue or pull request"), shortText])
    .optional()
    .describe("the number of an issue or pull request; that of the event without"),
  per: z
    .enum(["run", "pull-request"])
    .optional()
    .describe("a comment of each run, or one that all runs for a pull request edit; run without"),
  name: shortText
    .optional()
    .describe(
      "comments of a run with the same name are one, which is edited; the step's id without",
    ),
});

const artifactFields = z.union([
  shortText,
  fields({ path: shortText, optional: z.boolean().optional() }),
]);

export const stepFields = fields({
  name: shortText.optional().describe("for people; the step's id without"),
  needs: oneOrMore(name).optional().describe("steps that must have ended before"),
  if: z
    .union([z.string().min(1, "must not be empty"), z.boolean()])
    .optional()
    .describe(`an expression, with or without \${{ }}`),
  "continue-on-error": z.boolean().optional(),
  timeout: duration.optional().describe("60m without"),
  retry: retryFields.optional(),
  env: envFields.optional(),
  secrets: secretsFields.optional(),
  shell: z.enum(SHELLS).optional(),
  "working-directory": shortText.optional(),
  sandbox: z.enum(SANDBOXES).optional(),
  network: z
    .boolean()
    .optional()
    .describe("whether the command may use the network; false without"),
  workspace: workspaceFields.optional(),
  inject: z
    .record(z.string(), shortText)
    .optional()
    .describe("artifacts of earlier steps (name, or step.name) and where to put them"),
  artifacts: named(artifactFields).optional().describe("files to keep, by name"),
  outputs: z.array(name).optional().describe("names that the step writes to $CROFT_OUTPUT"),
  checks: z.array(checkFields).max(100, "at most 100").optional(),
  matrix: matrixFields.optional(),
  run: text.optional().describe("a script"),
  uses: shortText.optional().describe("another pipeline: its file, or the name of a stored one"),
  with: named(scalar).optional().describe("inputs of the pipeline that 'uses' names"),
  integrate: integrateFields.optional().describe("merges results of steps"),
  approval: approvalFields.optional().describe("waits for somebody's yes"),
  publish: publishFields.optional().describe("pushes a result to a branch"),
  comment: commentFields.optional().describe("on an issue or a pull request at GitHub"),
});
export type StepFields = z.infer<typeof stepFields>;
export type CheckFields = z.infer<typeof checkFields>;
export type RetryFields = z.infer<typeof retryFields>;
export type SecretsFields = z.infer<typeof secretsFields>;
