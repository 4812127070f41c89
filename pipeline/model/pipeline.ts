// A pipeline as it runs: checked, defaults filled in, plain data that can be stored as JSON.
import type { JsonValue } from "../yaml/yaml-node.ts";
import type { GithubTrigger } from "./github-trigger.ts";
import type { Step } from "./step.ts";

/** A text in which `${{ … }}` may stand; it is evaluated when it is used. */
export type TemplateText = string;

export interface Pipeline {
  readonly name: string;
  readonly description?: string;
  readonly on: Triggers;
  readonly inputs: Readonly<Record<string, PipelineInput>>;
  readonly repository?: RepositorySource;
  readonly concurrency?: { readonly key: TemplateText; readonly limit: number };
  /** Whether GitHub shows runs of its events as checks; undefined: those of push and pull_request. */
  readonly check?: false | { readonly name?: TemplateText };
  /** For all `run` steps; a step's own comes later. */
  readonly env: Readonly<Record<string, TemplateText>>;
  readonly outputs: Readonly<Record<string, TemplateText>>;
  /** In the order of the file. */
  readonly steps: readonly Step[];
}

export interface Triggers {
  readonly github: readonly GithubTrigger[];
  readonly schedule: readonly {
    readonly cron: string;
    readonly timezone: string;
    /** What becomes of a time while the last run has not ended. */
    readonly overlap: "skip" | "queue" | "replace";
  }[];
  readonly change?: {
    readonly paths: readonly string[];
    readonly pathsIgnore: readonly string[];
    readonly branches: readonly string[];
  };
}

export interface PipelineInput {
  readonly type: "string" | "number" | "boolean" | "choice";
  readonly description?: string;
  readonly required: boolean;
  readonly default?: string | number | boolean;
  /** Of a choice. */
  readonly options?: readonly string[];
}

export interface RepositorySource {
  readonly url: TemplateText;
  readonly ref?: TemplateText;
  readonly credential?: string;
}

/** A list as it stands, or an expression that gives one. */
export type MatrixValues = readonly JsonValue[] | TemplateText;

export interface Matrix {
  /** Named lists, in the order of the file. */
  readonly values: Readonly<Record<string, MatrixValues>>;
  readonly include?: readonly Readonly<Record<string, JsonValue>>[] | TemplateText;
  readonly exclude?: readonly Readonly<Record<string, JsonValue>>[] | TemplateText;
  readonly id?: TemplateText;
  readonly dependsOn?: TemplateText;
  readonly maxParallel?: number;
  readonly failFast: boolean;
}
