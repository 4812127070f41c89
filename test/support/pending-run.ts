// A pipeline from its text, and the state of a run of it in which nothing has begun.
import { type Pipeline, parsePipeline } from "@croft/pipeline";
import type { RunState, StepState } from "../../engine/runs/run-state.ts";

export function soundPipeline(text: string): Pipeline {
  const { pipeline, problems } = parsePipeline(text);
  if (pipeline === undefined) throw new Error(JSON.stringify(problems));
  return pipeline;
}

export function pendingRun(pipeline: Pipeline): RunState {
  const steps = pipeline.steps.map(
    ({ id }): StepState => ({
      ...{ step: id, item: "", status: "pending", isGroup: false },
      ...{ dependsOn: [], isLeftAlone: false },
    }),
  );
  return { status: "running", isCancelled: false, steps };
}
