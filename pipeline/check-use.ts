// A step that uses another pipeline, checked against that pipeline.
import { inputFault } from "./check/check-header.ts";
import type { Pipeline } from "./model/pipeline.ts";
import { didYouMean } from "./nearest-name.ts";
import type { ParsedPipeline } from "./parse-pipeline.ts";
import { type Path, type Problem, pathText } from "./problem.ts";

export interface PipelineUse {
  /** The pipeline that has the step. */
  readonly parent: ParsedPipeline;
  readonly stepId: string;
  /** The pipeline that it uses. */
  readonly child: Pipeline;
  /** The parent's file, for the problems. */
  readonly file?: string;
}

export function checkUse({ parent, stepId, child, file }: PipelineUse): {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
} {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const at = (path: Path, message: string, suggestion?: string): Problem => ({
    ...(file === undefined ? {} : { file }),
    ...parent.locate(path),
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    path: pathText(path),
  });
  const step = parent.pipeline?.steps.find(({ id }) => id === stepId);
  if (step?.kind !== "uses") return { problems, warnings };
  const path = ["steps", stepId];
  for (const [name, value] of Object.entries(step.with)) {
    const own = [...path, "with", name];
    const input = Object.hasOwn(child.inputs, name) ? child.inputs[name] : undefined;
    if (input === undefined) {
      problems.push(
        at(
          own,
          `'${child.name}' has no input '${name}'`,
          didYouMean(name, Object.keys(child.inputs)),
        ),
      );
    } else if (typeof value !== "string" || !value.includes("${{")) {
      const fault = inputFault(input, value);
      if (fault !== undefined) problems.push(at(own, fault));
    }
  }
  for (const [name, { required }] of Object.entries(child.inputs)) {
    const isMissing = required && !Object.hasOwn(step.with, name);
    if (isMissing)
      problems.push(at([...path, "uses"], `'${child.name}' requires the input '${name}'`));
  }
  for (const [index, name] of step.outputs.entries()) {
    if (Object.hasOwn(child.outputs, name)) continue;
    const hint = didYouMean(name, Object.keys(child.outputs));
    problems.push(at([...path, "outputs", index], `'${child.name}' has no output '${name}'`, hint));
  }
  if (child.concurrency !== undefined) {
    const message = `'concurrency' of '${child.name}' is ignored: it runs in the lane of the pipeline that uses it`;
    warnings.push(at([...path, "uses"], message));
  }
  return { problems, warnings };
}
