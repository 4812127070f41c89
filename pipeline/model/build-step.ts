// A step of the model from its fields, defaults filled in. Only for pipelines without problems.
import { listOf } from "../check/list.ts";
import { stepKind } from "../check/step-kind.ts";
import { durationMs } from "../duration.ts";
import type { CheckFields, RetryFields, SecretsFields, StepFields } from "../format/step-fields.ts";
import type { WorkspaceFields } from "../format/workspace-fields.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";
import { buildMatrix } from "./build-matrix.ts";
import { defined } from "./defined.ts";
import type { RepositorySource } from "./pipeline.ts";
import type {
  Injection,
  RetryPolicy,
  Step,
  StepBase,
  StepCheck,
  StepSecrets,
  StepWorkspace,
} from "./step.ts";

export interface StepSurroundings {
  readonly defaults: StepDefaults;
  readonly secrets: SecretsFields | undefined;
  /** Which step's artifact a name in `inject` means. */
  readonly findArtifact: (
    step: string,
    name: string,
  ) => { readonly step: string; readonly artifact: string };
}

export type StepDefaults = Partial<
  Pick<StepFields, "timeout" | "retry" | "sandbox" | "network" | "shell" | "working-directory">
> & {
  readonly workspace?: Pick<WorkspaceFields, "kind" | "sparse" | "submodules" | "lfs"> | undefined;
};

const TIMEOUT = "60m";
const APPROVAL_TIMEOUT = "24h";
/** The longest that may be asked for: somebody may be asked in it. */
const USES_TIMEOUT = "30d";

const ALL_CLASSES = ["transient", "command", "timeout", "check"] as const;
const POLICIES: Readonly<Record<"none" | "standard" | "aggressive" | "patient", RetryPolicy>> = {
  none: { attempts: 1, backoff: "none", delayMs: 0, maxDelayMs: 0, on: [] },
  standard: {
    attempts: 3,
    backoff: "exponential",
    delayMs: 1000,
    maxDelayMs: 30_000,
    on: ALL_CLASSES,
  },
  aggressive: {
    attempts: 5,
    backoff: "exponential",
    delayMs: 200,
    maxDelayMs: 30_000,
    on: ALL_CLASSES,
  },
  patient: {
    attempts: 3,
    backoff: "exponential",
    delayMs: 5000,
    maxDelayMs: 90_000,
    on: ALL_CLASSES,
  },
};
/** Faults of the machine are tried again without being asked; a command that failed is not. */
const UNASKED: RetryPolicy = { ...POLICIES.standard, on: ["transient"] };

export function buildStep(id: string, fields: StepFields, surroundings: StepSurroundings): Step {
  const { defaults } = surroundings;
  const { approval, integrate, uses } = fields;
  const base: StepBase = defined({
    id,
    name: fields.name ?? id,
    needs: listOf(fields.needs),
    if: fields.if === undefined ? undefined : String(fields.if),
    continueOnError: fields["continue-on-error"] ?? false,
    ...(uses === undefined
      ? {
          timeoutMs: durationMs(fields.timeout ?? defaults.timeout ?? TIMEOUT),
          retry: buildRetry(fields.retry ?? defaults.retry),
        }
      : {
          // Its steps have times and policies of their own, by the same defaults.
          timeoutMs: durationMs(fields.timeout ?? USES_TIMEOUT),
          retry: buildRetry(fields.retry ?? "none"),
        }),
  });
  switch (stepKind(fields)) {
    case "uses":
      return defined({
        ...{
          ...base,
          kind: "uses" as const,
          uses: /\.ya?ml$/.test(uses ?? "") ? { file: uses ?? "" } : { stored: uses ?? "" },
        },
        with: fields.with ?? {},
        outputs: fields.outputs ?? [],
        matrix: fields.matrix === undefined ? undefined : buildMatrix(fields.matrix),
      });
    case "integrate": {
      const given =
        typeof integrate === "object" && !Array.isArray(integrate) ? integrate : undefined;
      const from = given === undefined ? (integrate as string | string[]) : given.from;
      const onConflict = given?.["on-conflict"] ?? "fail";
      return defined({
        ...base,
        kind: "integrate" as const,
        from: listOf(from),
        onConflict,
        message: given?.message,
      });
    }
    case "approval": {
      const given = typeof approval === "object" ? approval : undefined;
      const timeoutMs = durationMs(given?.timeout ?? APPROVAL_TIMEOUT);
      return defined({
        ...base,
        kind: "approval" as const,
        timeoutMs,
        retry: POLICIES.none,
        message: given?.message,
      });
    }
    case "publish":
    case "comment":
      return buildOutward(base, fields);
    default:
      return buildRun(base, fields, surroundings);
  }
}

/** Steps by which others see what was made. */
function buildOutward(base: StepBase, { publish, comment }: StepFields): Step {
  if (comment !== undefined) {
    const { body, on, name, per = "run" } = comment;
    const about = on === undefined ? undefined : String(on);
    return defined({
      ...{ ...base, kind: "comment" as const, title: name ?? base.id, body, on: about, per },
    });
  }
  const pull = publish?.["pull-request"];
  return defined({
    ...{ ...base, kind: "publish" as const },
    ...{ from: publish?.from ?? "", branch: publish?.branch ?? "" },
    onConflict: publish?.["on-conflict"] ?? ("fail" as const),
    force: publish?.force ?? false,
    pullRequest: pull === undefined ? undefined : defined({ ...pull, draft: pull.draft ?? false }),
  });
}

function buildRun(base: StepBase, fields: StepFields, surroundings: StepSurroundings): Step {
  const { defaults, secrets, findArtifact } = surroundings;
  return defined({
    ...base,
    kind: "run" as const,
    run: fields.run ?? "",
    shell: fields.shell ?? defaults.shell ?? "sh",
    workingDirectory: fields["working-directory"] ?? defaults["working-directory"],
    sandbox: fields.sandbox ?? defaults.sandbox ?? "auto",
    network: fields.network ?? defaults.network ?? false,
    env: textsOf(fields.env),
    secrets: mergeSecrets(secrets, fields.secrets),
    workspace: buildWorkspace(fields.workspace, defaults.workspace),
    inject: Object.entries(fields.inject ?? {}).map(
      ([key, path]): Injection => ({ ...findArtifact(base.id, key), path }),
    ),
    artifacts: Object.fromEntries(
      Object.entries(fields.artifacts ?? {}).map(([name, artifact]) => [
        name,
        typeof artifact === "string"
          ? { path: artifact, optional: false }
          : { path: artifact.path, optional: artifact.optional ?? false },
      ]),
    ),
    outputs: fields.outputs ?? [],
    checks: (fields.checks ?? []).map(buildCheck),
    matrix: fields.matrix === undefined ? undefined : buildMatrix(fields.matrix),
  });
}

export function buildRetry(retry: RetryFields | undefined): RetryPolicy {
  if (retry === undefined) return UNASKED;
  if (typeof retry === "string") return POLICIES[retry];
  const { standard } = POLICIES;
  const delayMs = retry.delay === undefined ? standard.delayMs : durationMs(retry.delay);
  const longest = retry["max-delay"];
  return {
    attempts: retry.attempts ?? standard.attempts,
    backoff: retry.backoff ?? standard.backoff,
    delayMs,
    maxDelayMs:
      longest === undefined ? Math.max(standard.maxDelayMs, delayMs) : durationMs(longest),
    on: retry.on ?? ALL_CLASSES,
  };
}

/** Values of variables are texts, whatever YAML takes them for. */
export function textsOf(
  values: Readonly<Record<string, unknown>> | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]),
  );
}

function mergeSecrets(...all: readonly (SecretsFields | undefined)[]): StepSecrets {
  const files = all.flatMap((secrets) => (Array.isArray(secrets) ? secrets : []));
  const env = Object.assign({}, ...all.filter((secrets) => !Array.isArray(secrets)));
  return { files: [...new Set(files)], env };
}

function buildWorkspace(
  fields: WorkspaceFields | undefined,
  defaults: StepDefaults["workspace"],
): StepWorkspace {
  const repositories = Object.entries(fields?.repositories ?? {}).map(([name, repository]) => {
    const given = typeof repository === "string" ? { url: repository } : repository;
    return [
      name,
      { ...repositorySource(given), path: "path" in given ? (given.path ?? name) : name },
    ] as const;
  });
  return defined({
    from: fields?.from,
    base: fields?.base,
    branch: fields?.branch,
    history: fields?.history,
    kind: fields?.kind ?? defaults?.kind,
    sparse: listOf(fields?.sparse ?? defaults?.sparse),
    submodules: fields?.submodules ?? defaults?.submodules ?? false,
    lfs: fields?.lfs ?? defaults?.lfs ?? false,
    repositories: Object.fromEntries(repositories),
  });
}

export function repositorySource(
  repository: string | { url: string; ref?: string | undefined; credential?: string | undefined },
): RepositorySource {
  if (typeof repository === "string") return { url: repository };
  const { url, ref, credential } = repository;
  return defined({ url, ref, credential });
}

/** Names of test files as most languages have them. */
const USUAL_TESTS = [
  "**/test/**",
  "**/tests/**",
  "**/__tests__/**",
  "**/*.test.*",
  "**/*.spec.*",
  "**/*_test.*",
  "**/test_*.*",
];

function buildCheck(fields: CheckFields): StepCheck {
  const onFailure = fields["on-failure"] ?? "fail";
  const schema = fields["json-schema"];
  const tests = fields["tests-not-removed"];
  if (schema !== undefined) {
    const inline = schema as Readonly<Record<string, JsonValue>>;
    const given = typeof schema === "string" ? { path: schema } : { inline };
    return { kind: "json-schema", artifact: fields.of ?? "", schema: given, onFailure };
  }
  if (fields["not-empty"] !== undefined)
    return { kind: "not-empty", artifact: fields["not-empty"], onFailure };
  if (fields.command !== undefined) return { kind: "command", command: fields.command, onFailure };
  if (tests !== undefined) {
    const globs = tests === true ? USUAL_TESTS : listOf(tests);
    return { kind: "tests-not-removed", globs, onFailure };
  }
  return { kind: "no-diff-outside", globs: listOf(fields["no-diff-outside"]), onFailure };
}
