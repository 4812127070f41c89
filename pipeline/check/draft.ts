// A pipeline that may still have problems: the parts that have the right shape, to be checked further.
import type { z } from "zod";
import { describeIssue } from "../format/describe-issue.ts";
import { NAME_PATTERN, NAME_RULE } from "../format/field.ts";
import { MATRIX_OPTIONS } from "../format/matrix-fields.ts";
import { type PipelineFields, pipelineFields } from "../format/pipeline-fields.ts";
import { type StepFields, stepFields } from "../format/step-fields.ts";
import { didYouMean } from "../nearest-name.ts";
import { STEPS_MAX } from "../pipeline-limits.ts";
import { jsonOf, nodeAt, type YamlMap, type YamlNode } from "../yaml/yaml-node.ts";
import type { Findings } from "./findings.ts";

export type Header = Partial<Omit<PipelineFields, "steps">>;

export interface Draft {
  readonly header: Header;
  /** Sections before the steps that are in the file but wrong. */
  readonly lost: ReadonlySet<string>;
  /** In the order of the file. */
  readonly steps: ReadonlyMap<string, StepFields>;
  /** Steps that lost a part: nothing is said about what they lack. */
  readonly broken: ReadonlySet<string>;
}

/** Part by part, so that a mistake in one does not hide those in the others. */
export function readDraft(root: YamlNode, findings: Findings): Draft {
  if (root.kind !== "map") {
    findings.problem([], "a pipeline is a map with 'steps' in it");
    return { header: {}, lost: new Set(), steps: new Map(), broken: new Set() };
  }
  const known = Object.keys(pipelineFields.shape);
  const header: Record<string, unknown> = {};
  const lost = new Set<string>();
  for (const { key, value } of root.entries) {
    if (key === "steps") continue;
    const shape = Object.hasOwn(pipelineFields.shape, key)
      ? pipelineFields.shape[key as keyof Header]
      : undefined;
    if (shape === undefined) {
      const hint = didYouMean(key, known) ?? `known are ${known.join(", ")}`;
      findings.keyProblem([key], `unknown key '${key.slice(0, 60)}'`, hint);
      continue;
    }
    const read = readPart(shape, value, [key], findings);
    if (read === undefined) lost.add(key);
    else header[key] = read;
  }
  return { header: header as Header, lost, ...readSteps(root, findings) };
}

function readSteps(root: YamlMap, findings: Findings): Pick<Draft, "steps" | "broken"> {
  const steps = new Map<string, StepFields>();
  const broken = new Set<string>();
  const node = nodeAt(root, ["steps"]);
  if (node === undefined) {
    findings.problem([], "'steps' is missing");
  } else if (node.kind !== "map") {
    const hint = "write each as 'name: { run: … }'";
    findings.problem(["steps"], "expected a map of steps by their names", hint);
  } else if (node.entries.length === 0) {
    findings.problem(["steps"], "a pipeline needs at least one step");
  } else if (node.entries.length > STEPS_MAX) {
    findings.problem(["steps"], `too many steps: ${node.entries.length}, at most ${STEPS_MAX}`);
  } else {
    for (const { key, value } of node.entries) {
      if (!NAME_PATTERN.test(key))
        findings.keyProblem(["steps", key], `'${key.slice(0, 60)}': ${NAME_RULE}`);
      const step = readPart(stepFields, value, ["steps", key], findings);
      if (step === undefined) broken.add(key);
      steps.set(key, step ?? goodFields(value));
    }
  }
  return { steps, broken };
}

/** What is left of a step without the fields that are wrong. */
function goodFields(node: YamlNode): StepFields {
  if (node.kind !== "map") return {};
  const good = node.entries.flatMap(({ key, value }) => {
    if (!Object.hasOwn(stepFields.shape, key)) return [];
    const read = stepFields.shape[key as keyof StepFields].safeParse(jsonOf(value));
    return read.success ? [[key, read.data] as const] : [];
  });
  return Object.fromEntries(good);
}

function readPart<Schema extends z.ZodType>(
  schema: Schema,
  node: YamlNode,
  path: readonly string[],
  findings: Findings,
): z.infer<Schema> | undefined {
  const read = schema.safeParse(jsonOf(node));
  if (read.success) return read.data;
  const valueAt = (inner: readonly (string | number)[]) => {
    const found = nodeAt(node, inner);
    return found === undefined ? undefined : jsonOf(found);
  };
  for (const issue of read.error.issues) {
    for (const finding of describeIssue(issue, valueAt)) {
      const whole = { ...finding, path: [...path, ...finding.path] };
      findings.tell({ ...whole, suggestion: matrixHint(whole.path) ?? finding.suggestion });
    }
  }
  return undefined;
}

/** Every key of a matrix may be a list's name, so a misspelt option is only known by its value. */
function matrixHint(path: readonly (string | number)[]): string | undefined {
  const [steps, , matrix, key, more] = path;
  if (steps !== "steps" || matrix !== "matrix" || more !== undefined) return undefined;
  if (typeof key !== "string" || MATRIX_OPTIONS.includes(key)) return undefined;
  return didYouMean(key, MATRIX_OPTIONS);
}
