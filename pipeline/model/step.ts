// A step as it runs: one of six kinds.
import type { JsonValue } from "../yaml/yaml-node.ts";
import type { Matrix, RepositorySource, TemplateText } from "./pipeline.ts";

export type Step = RunStep | UsesStep | IntegrateStep | ApprovalStep | PublishStep | CommentStep;

export interface StepBase {
  readonly id: string;
  readonly name: string;
  readonly needs: readonly string[];
  /** An expression; see `compileCondition`. */
  readonly if?: string;
  readonly continueOnError: boolean;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
}

export type RetryClass = "transient" | "command" | "timeout" | "check";

export interface RetryPolicy {
  /** In all, the first one included. */
  readonly attempts: number;
  readonly backoff: "none" | "linear" | "exponential";
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly on: readonly RetryClass[];
}

export interface RunStep extends StepBase {
  readonly kind: "run";
  readonly run: TemplateText;
  readonly shell: "sh" | "bash";
  readonly workingDirectory?: TemplateText;
  readonly sandbox: "auto" | "on" | "off";
  readonly network: boolean;
  readonly env: Readonly<Record<string, TemplateText>>;
  readonly secrets: StepSecrets;
  readonly workspace: StepWorkspace;
  readonly inject: readonly Injection[];
  readonly artifacts: Readonly<
    Record<string, { readonly path: TemplateText; readonly optional: boolean }>
  >;
  readonly outputs: readonly string[];
  readonly checks: readonly StepCheck[];
  readonly matrix?: Matrix;
}

export interface StepSecrets {
  /** Names that become files in `$CROFT_SECRETS`. */
  readonly files: readonly string[];
  /** Variable → name. */
  readonly env: Readonly<Record<string, string>>;
}

export interface StepWorkspace {
  /** Starts at the result of this step. */
  readonly from?: string;
  /** Starts at this ref or commit. */
  readonly base?: TemplateText;
  readonly branch?: TemplateText;
  /** It has history enough for the merge base with this ref or commit. */
  readonly history?: TemplateText;
  readonly kind?: "overlay" | "clone" | "worktree";
  readonly sparse: readonly string[];
  readonly submodules: boolean;
  readonly lfs: boolean;
  readonly repositories: Readonly<Record<string, RepositorySource & { readonly path: string }>>;
}

export interface Injection {
  readonly step: string;
  readonly artifact: string;
  /** A file; of a step with a matrix a directory with one entry for each item, named by its id. */
  readonly path: TemplateText;
}

export type OnCheckFailure = "fail" | "warn" | "retry";

export type StepCheck = { readonly onFailure: OnCheckFailure } & (
  | {
      readonly kind: "json-schema";
      readonly artifact: string;
      readonly schema:
        | { readonly path: string }
        | { readonly inline: Readonly<Record<string, JsonValue>> };
    }
  | { readonly kind: "not-empty"; readonly artifact: string }
  | { readonly kind: "command"; readonly command: TemplateText }
  | { readonly kind: "no-diff-outside"; readonly globs: readonly string[] }
  | { readonly kind: "tests-not-removed"; readonly globs: readonly string[] }
);

export interface UsesStep extends StepBase {
  readonly kind: "uses";
  readonly uses: { readonly file: string } | { readonly stored: string };
  readonly with: Readonly<Record<string, string | number | boolean>>;
  readonly outputs: readonly string[];
  readonly matrix?: Matrix;
}

export interface IntegrateStep extends StepBase {
  readonly kind: "integrate";
  /** Steps, in the order of merging; the items of a matrix come in their own order. */
  readonly from: readonly string[];
  readonly onConflict: "fail" | "warn";
  readonly message?: TemplateText;
}

export interface ApprovalStep extends StepBase {
  readonly kind: "approval";
  readonly message?: TemplateText;
}

export interface PublishStep extends StepBase {
  readonly kind: "publish";
  readonly from: string;
  readonly branch: TemplateText;
  readonly onConflict: "fail" | "retry";
  readonly force: boolean;
  readonly pullRequest?: PullRequestPlan;
}

export interface PullRequestPlan {
  readonly title: TemplateText;
  readonly body?: TemplateText;
  /** The default branch without. */
  readonly base?: TemplateText;
  readonly draft: boolean;
}

export interface CommentStep extends StepBase {
  readonly kind: "comment";
  readonly body: TemplateText;
  /** The number of an issue or pull request; that of the event without. */
  readonly on?: TemplateText;
  /** Comments of one run with the same title are one, which is edited. */
  readonly title: TemplateText;
  /** Whose it is: the run's own, or of all runs for the same issue or pull request. */
  readonly per: "run" | "pull-request";
}
