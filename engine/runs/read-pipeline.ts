// The pipeline of a run: its text was checked when it was started, so it can be read.
import { type Pipeline, type Problem, parsePipeline, problemText } from "@croft/pipeline";
import { EngineError } from "../engine-error.ts";

const KEPT_MAX = 100;
const kept = new Map<string, Pipeline>();

/** The same text gives the same pipeline; a run asks for it after each of its steps. */
export function pipelineOf({ text, file }: { text: string; file: string | null }): Pipeline {
  const name = `${file ?? ""}\0${text}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const { pipeline, problems } = parsePipeline(text, file === null ? {} : { file });
  if (pipeline === undefined) throw invalidPipeline(problems);
  const oldest = kept.size < KEPT_MAX ? undefined : kept.keys().next().value;
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(name, pipeline);
  return pipeline;
}

export function invalidPipeline(problems: readonly Problem[]): EngineError {
  const lines = problems.map((problem) => problemText(problem));
  const errors = problems.map(({ path, message, line, column }) => ({
    path: path === "" ? `${line}:${column}` : path,
    message: `${line}:${column}: ${message}`,
  }));
  return new EngineError("invalid-pipeline", lines.join("\n"), { details: { errors } });
}
