// Which of the six kinds a step is, and what may be said about each.
import type { StepFields } from "../format/step-fields.ts";
import type { Findings } from "./findings.ts";

export const STEP_KINDS = ["run", "uses", "integrate", "approval", "publish", "comment"] as const;
export type StepKind = (typeof STEP_KINDS)[number];

const COMMON = ["name", "needs", "if", "continue-on-error"];
const ALLOWED: Readonly<Record<StepKind, readonly string[]>> = {
  run: [
    ...[...COMMON, "timeout", "retry", "env", "secrets", "shell", "working-directory", "sandbox"],
    ...["network", "workspace", "inject", "artifacts", "outputs", "checks", "matrix"],
  ],
  uses: [...COMMON, "timeout", "retry", "with", "outputs", "matrix"],
  integrate: [...COMMON, "timeout", "retry"],
  approval: COMMON,
  publish: [...COMMON, "timeout", "retry"],
  comment: [...COMMON, "timeout", "retry"],
};

export function stepKind(step: StepFields): StepKind | undefined {
  const kinds = STEP_KINDS.filter((kind) => step[kind] !== undefined);
  return kinds.length === 1 ? kinds[0] : undefined;
}

export function checkStepKind(id: string, step: StepFields, findings: Findings): void {
  const path = ["steps", id];
  const kinds = STEP_KINDS.filter((kind) => step[kind] !== undefined);
  const [kind, second] = kinds;
  if (kind === undefined) {
    findings.keyProblem(path, `step '${id}' does nothing: give it one of ${STEP_KINDS.join(", ")}`);
  } else if (second !== undefined) {
    findings.keyProblem(
      [...path, second],
      `a step does one thing: '${kind}' and '${second}' are two`,
    );
  } else {
    for (const key of Object.keys(step)) {
      if (key === kind || ALLOWED[kind].includes(key)) continue;
      findings.keyProblem(
        [...path, key],
        `'${key}' has no meaning for '${kind}'`,
        hintFor(key, kind),
      );
    }
  }
}

function hintFor(key: string, kind: StepKind): string | undefined {
  if (key === "timeout" && kind === "approval") return "set approval.timeout";
  if (key === "workspace" && kind === "publish") return "publish.from says what is pushed";
  return undefined;
}
