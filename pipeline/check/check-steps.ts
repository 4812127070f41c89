// Each step by itself: its kind, its checks, its paths, names and refs.

import { durationMs } from "../duration.ts";
import { NAME_PATTERN } from "../format/field.ts";
import type { CheckFields, StepFields } from "../format/step-fields.ts";
import type { WorkspaceFields } from "../format/workspace-fields.ts";
import { ARTIFACTS_MAX } from "../pipeline-limits.ts";
import { checkEach, checkEnvNames, checkRepository } from "./check-header.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";
import { globFault, pathFault, refFault } from "./plain-rules.ts";
import { checkStepKind } from "./step-kind.ts";

export function checkSteps({ header, steps, broken }: Draft, findings: Findings): void {
  checkDurations(header.defaults, ["defaults"], findings);
  for (const [id, step] of steps) {
    if (!broken.has(id)) checkStepKind(id, step, findings);
    checkStep(id, step, findings);
  }
}

function checkStep(id: string, step: StepFields, findings: Findings): void {
  const path = ["steps", id];
  checkDurations(step, path, findings);
  checkEnvNames(step.env, [...path, "env"], findings);
  checkEnvNames(step.secrets, [...path, "secrets"], findings);
  checkEach(step["working-directory"], [...path, "working-directory"], pathFault, findings);
  if (step.workspace !== undefined) checkWorkspace(id, step.workspace, findings);
  for (const [key, target] of Object.entries(step.inject ?? {})) {
    checkEach(target, [...path, "inject", key], pathFault, findings);
  }
  const artifacts = Object.entries(step.artifacts ?? {});
  if (artifacts.length > ARTIFACTS_MAX) {
    const message = `${artifacts.length} artifacts: at most ${ARTIFACTS_MAX}`;
    findings.keyProblem([...path, "artifacts"], message, "keep a directory as one artifact");
  }
  for (const [name, artifact] of artifacts) {
    const isMap = typeof artifact === "object";
    const own = [...path, "artifacts", name, ...(isMap ? ["path"] : [])];
    checkEach(isMap ? artifact.path : artifact, own, pathFault, findings);
  }
  step.checks?.forEach((check, index) => {
    checkCheck(check, [...path, "checks", index], findings);
  });
  checkRepeated(step.outputs, [...path, "outputs"], findings);
  checkEach(step.publish?.branch, [...path, "publish", "branch"], refFault, findings);
  const base = step.publish?.["pull-request"]?.base;
  checkEach(base, [...path, "publish", "pull-request", "base"], refFault, findings);
  const about = typeof step.comment?.on === "string" ? step.comment.on : undefined;
  checkEach(about, [...path, "comment", "on"], numberFault, findings);
  checkEach(step.uses, [...path, "uses"], usesFault, findings);
}

function checkWorkspace(id: string, workspace: WorkspaceFields, findings: Findings): void {
  const path = ["steps", id, "workspace"];
  checkEach(workspace.branch, [...path, "branch"], refFault, findings);
  checkEach(workspace.base, [...path, "base"], refFault, findings);
  checkEach(workspace.history, [...path, "history"], refFault, findings);
  checkEach(workspace.sparse, [...path, "sparse"], pathFault, findings);
  const taken = new Map<string, string>();
  for (const [name, repository] of Object.entries(workspace.repositories ?? {})) {
    const own = [...path, "repositories", name];
    checkRepository(repository, own, findings);
    const given = typeof repository === "object" ? repository.path : undefined;
    checkEach(given, [...own, "path"], pathFault, findings);
    const place = (given ?? name).replace(/\/+$/, "");
    const other = taken.get(place);
    if (other !== undefined) findings.problem(own, `'${name}' and '${other}' have the same path`);
    taken.set(place, name);
  }
  if (workspace.kind === "worktree" && workspace.sparse !== undefined) {
    findings.keyProblem([...path, "sparse"], "a worktree cannot be sparse", "use 'kind: clone'");
  }
}

const CHECK_KINDS = [
  "json-schema",
  "not-empty",
  "command",
  "no-diff-outside",
  "tests-not-removed",
] as const;

function checkCheck(
  check: CheckFields,
  path: readonly (string | number)[],
  findings: Findings,
): void {
  const kinds = CHECK_KINDS.filter((kind) => check[kind] !== undefined);
  if (kinds.length !== 1) {
    findings.problem(path, `a check is exactly one of ${CHECK_KINDS.join(", ")}`);
    return;
  }
  const schema = check["json-schema"];
  if (schema !== undefined && check.of === undefined) {
    findings.problem(path, "'json-schema' needs 'of': the artifact it is for");
  }
  if (schema === undefined && check.of !== undefined) {
    findings.keyProblem([...path, "of"], "'of' belongs to 'json-schema'");
  }
  if (typeof schema === "string") checkEach(schema, [...path, "json-schema"], pathFault, findings);
  checkEach(check["no-diff-outside"], [...path, "no-diff-outside"], globFault, findings);
  const tests = check["tests-not-removed"];
  if (tests !== true) checkEach(tests, [...path, "tests-not-removed"], globFault, findings);
}

function checkRepeated(
  names: readonly string[] | undefined,
  path: readonly string[],
  findings: Findings,
): void {
  names?.forEach((name, index) => {
    if (names.indexOf(name) < index) findings.problem([...path, index], `'${name}' is named twice`);
  });
}

const DAY_MS = 86_400_000;
const DURATION_DAYS_MAX = 30;

function checkDurations(
  step: (Pick<StepFields, "timeout" | "retry"> & Partial<Pick<StepFields, "approval">>) | undefined,
  path: readonly string[],
  findings: Findings,
): void {
  const retry = typeof step?.retry === "object" ? step.retry : undefined;
  const approval = typeof step?.approval === "object" ? step.approval : undefined;
  const durations: readonly [readonly string[], string | undefined, number][] = [
    [[...path, "timeout"], step?.timeout, 1],
    [[...path, "approval", "timeout"], approval?.timeout, 1],
    [[...path, "retry", "delay"], retry?.delay, 0],
    [[...path, "retry", "max-delay"], retry?.["max-delay"], 0],
  ];
  for (const [own, text, shortest] of durations) {
    if (text === undefined) continue;
    const ms = durationMs(text);
    if (ms < shortest) findings.problem(own, "must be longer than nothing");
    if (ms > DURATION_DAYS_MAX * DAY_MS)
      findings.problem(own, `must be at most ${DURATION_DAYS_MAX} days`);
  }
}

/** What an expression will give is looked at when it is known. */
function numberFault(text: string): string | undefined {
  if (text.includes("${{") || /^[1-9]\d{0,9}$/.test(text)) return undefined;
  return "is no number of an issue or pull request";
}

/** A file beside this one, or the name of a stored pipeline. */
function usesFault(uses: string): string | undefined {
  if (uses.includes("${{")) return "must be written out: expressions are not allowed in 'uses'";
  if (/\.ya?ml$/.test(uses)) return pathFault(uses.replace(/^\.\//, ""));
  return NAME_PATTERN.test(uses) ? undefined : "is neither a .yaml file nor the name of a pipeline";
}
