// What a step takes from others: their results and their artifacts must exist, and must be there in time.
import type { StepFields } from "../format/step-fields.ts";
import type { Graph } from "../graph.ts";
import { didYouMean } from "../nearest-name.ts";
import type { Path } from "../problem.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";
import { listOf } from "./list.ts";
import { stepKind } from "./step-kind.ts";

interface Reference {
  readonly id: string;
  readonly path: Path;
  readonly target: string;
  /** Whether results of all items of a matrix will do. */
  readonly allowsMatrix: boolean;
}

export function checkReferences(draft: Draft, graph: Graph, findings: Findings): void {
  for (const [id, step] of draft.steps) {
    for (const reference of referencesOf(id, step)) checkResult(reference, draft, graph, findings);
    for (const key of Object.keys(step.inject ?? {})) {
      checkInjection({ id, key, path: ["steps", id, "inject", key] }, draft, graph, findings);
    }
    if (!draft.broken.has(id)) checkArtifactNames(id, step, findings);
    if (step.workspace?.from !== undefined && step.workspace.base !== undefined) {
      findings.keyProblem(
        ["steps", id, "workspace", "base"],
        "'from' and 'base' exclude each other",
      );
    }
  }
}

function referencesOf(id: string, step: StepFields): Reference[] {
  const { workspace, publish, integrate } = step;
  const found: Reference[] = [];
  if (workspace?.from !== undefined) {
    const path = ["steps", id, "workspace", "from"];
    found.push({ id, path, target: workspace.from, allowsMatrix: false });
  }
  if (publish !== undefined) {
    found.push({
      id,
      path: ["steps", id, "publish", "from"],
      target: publish.from,
      allowsMatrix: false,
    });
  }
  if (integrate !== undefined) {
    const isMap = typeof integrate === "object" && !Array.isArray(integrate);
    const from = isMap ? integrate.from : integrate;
    const path: Path = ["steps", id, "integrate", ...(isMap ? ["from"] : [])];
    listOf(from).forEach((target, index) => {
      const own = Array.isArray(from) ? [...path, index] : path;
      found.push({ id, path: own, target, allowsMatrix: true });
    });
  }
  return found;
}

function checkResult(reference: Reference, draft: Draft, graph: Graph, findings: Findings): void {
  const { id, path, target, allowsMatrix } = reference;
  if (!isBefore(reference, draft, graph, findings)) return;
  const step = draft.steps.get(target);
  const kind = step === undefined ? undefined : stepKind(step);
  if (step === undefined || kind === undefined || draft.broken.has(target)) return;
  if (kind !== "run" && kind !== "integrate") {
    findings.problem(path, `step '${target}' ('${kind}') leaves no commit that '${id}' could take`);
  } else if (step.matrix !== undefined && !allowsMatrix) {
    const hint = "bring them together with an 'integrate' step";
    findings.problem(path, `step '${target}' has a matrix, so it leaves several results`, hint);
  }
}

/** Only what is needed, near or far, has certainly ended. */
function isBefore(
  { id, path, target }: Pick<Reference, "id" | "path" | "target">,
  { steps }: Draft,
  graph: Graph,
  findings: Findings,
): boolean {
  if (target === id) {
    findings.problem(path, `step '${id}' cannot take from itself`);
  } else if (!steps.has(target)) {
    findings.problem(path, `there is no step '${target}'`, didYouMean(target, steps.keys()));
  } else if (graph.ancestors.get(id)?.has(target) !== true) {
    findings.problem(path, `'${id}' does not need '${target}'`, `add '${target}' to its needs`);
  } else {
    return true;
  }
  return false;
}

interface Injected {
  readonly id: string;
  readonly key: string;
  readonly path: Path;
}

function checkInjection(
  { id, key, path }: Injected,
  draft: Draft,
  graph: Graph,
  findings: Findings,
): void {
  const before = [...(graph.ancestors.get(id) ?? [])];
  const [stepId = "", artifact] = key.split(".");
  const [message, hint] =
    artifact === undefined
      ? bareFault(id, key, before, draft)
      : namedFault({ id, stepId, artifact: key.slice(stepId.length + 1) }, before, draft);
  if (message !== undefined) findings.keyProblem(path, message, hint);
}

type Fault = readonly [message?: string, hint?: string | undefined];

function namedFault(
  { id, stepId, artifact }: Readonly<Record<"id" | "stepId" | "artifact", string>>,
  before: readonly string[],
  { steps, broken }: Draft,
): Fault {
  const step = steps.get(stepId);
  if (!steps.has(stepId)) return [`there is no step '${stepId}'`, didYouMean(stepId, steps.keys())];
  if (!before.includes(stepId)) {
    return [`'${id}' does not need '${stepId}'`, `add '${stepId}' to its needs`];
  }
  if (broken.has(stepId) || artifactsOf(step).includes(artifact)) return [];
  return [
    `step '${stepId}' has no artifact '${artifact}'`,
    didYouMean(artifact, artifactsOf(step)),
  ];
}

function bareFault(id: string, key: string, before: readonly string[], draft: Draft): Fault {
  const owners = before.filter((other) => artifactsOf(draft.steps.get(other)).includes(key));
  if (owners.length > 1) {
    const names = owners.map((owner) => `${owner}.${key}`);
    return [`several steps have an artifact '${key}'`, `write ${names.join(" or ")}`];
  }
  const isKnown = owners.length === 1 || before.some((other) => draft.broken.has(other));
  if (isKnown) return [];
  return [
    `no step that '${id}' needs has an artifact '${key}'`,
    hintForArtifact(key, before, draft),
  ];
}

function hintForArtifact(
  name: string,
  before: readonly string[],
  { steps }: Draft,
): string | undefined {
  const near = didYouMean(
    name,
    before.flatMap((id) => artifactsOf(steps.get(id))),
  );
  if (near !== undefined) return near;
  const owner = [...steps].find(([, step]) => artifactsOf(step).includes(name));
  return owner === undefined ? undefined : `add '${owner[0]}' to its needs`;
}

function artifactsOf(step: StepFields | undefined): string[] {
  return Object.keys(step?.artifacts ?? {});
}

function checkArtifactNames(id: string, step: StepFields, findings: Findings): void {
  step.checks?.forEach((check, index) => {
    for (const key of ["of", "not-empty"] as const) {
      const name = check[key];
      if (name === undefined || Object.hasOwn(step.artifacts ?? {}, name)) continue;
      const hint = didYouMean(name, artifactsOf(step)) ?? "list it in 'artifacts'";
      findings.problem(
        ["steps", id, "checks", index, key],
        `step '${id}' has no artifact '${name}'`,
        hint,
      );
    }
  });
}
