// The steps' `needs`: known, not themselves, no circle.
import type { StepFields } from "../format/step-fields.ts";
import { findCycle, type Graph, planGraph } from "../graph.ts";
import { didYouMean } from "../nearest-name.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";
import { listOf } from "./list.ts";

/** Undefined when there is a circle. */
export function checkGraph({ steps }: Draft, findings: Findings): Graph | undefined {
  const edges = new Map<string, readonly string[]>();
  for (const [id, step] of steps) edges.set(id, checkNeeds(id, step, steps, findings));
  const cycle = findCycle(edges);
  if (cycle !== undefined) {
    const [first = "", second = ""] = cycle;
    findings.problem(
      needPath(first, steps.get(first), second),
      `steps need each other in a circle: ${cycle.slice(0, 20).join(" → ")}`,
    );
    return undefined;
  }
  return planGraph({ steps: [...edges].map(([id, needs]) => ({ id, needs })) });
}

function checkNeeds(
  id: string,
  step: StepFields | undefined,
  steps: Draft["steps"],
  findings: Findings,
): readonly string[] {
  const needs = listOf(step?.needs);
  const good: string[] = [];
  needs.forEach((need, index) => {
    const path = needPath(id, step, need, index);
    if (need === id) {
      findings.problem(path, `step '${id}' needs itself`);
    } else if (!steps.has(need)) {
      findings.problem(path, `there is no step '${need}'`, didYouMean(need, otherThan(steps, id)));
    } else if (good.includes(need)) {
      findings.problem(path, `'${need}' is named twice`);
    } else {
      good.push(need);
    }
  });
  return good;
}

function otherThan(steps: Draft["steps"], id: string): string[] {
  return [...steps.keys()].filter((other) => other !== id);
}

function needPath(id: string, step: StepFields | undefined, need: string, index?: number) {
  const path = ["steps", id, "needs"];
  if (!Array.isArray(step?.needs)) return path;
  return [...path, index ?? step.needs.indexOf(need)];
}
