// What a run has to say at its end: its outputs, or its error.
import type { JobError } from "@croft/contract";
import {
  type ExpressionContext,
  ExpressionFailure,
  evaluateTemplate,
  type JsonValue,
  type Pipeline,
} from "@croft/pipeline";
import { namedIn } from "./artifact-texts.ts";
import type { ArtifactName } from "./current-artifacts.ts";
import { isStorable, NOT_STORABLE } from "./is-storable.ts";
import type { StepRow } from "./run-rows.ts";

/** A failure is the run's own. */
export async function runOutputs(
  { outputs }: Pipeline,
  contextWith: (names: readonly ArtifactName[]) => Promise<ExpressionContext>,
): Promise<Record<string, JsonValue> | ExpressionFailure> {
  try {
    const context = await contextWith(namedIn(outputs));
    return Object.fromEntries(
      Object.entries(outputs).map(([name, text]) => {
        const value = evaluateTemplate(text, context);
        if (!isStorable(value)) throw new ExpressionFailure(`'${name}' ${NOT_STORABLE}`);
        return [name, value];
      }),
    );
  } catch (error) {
    if (error instanceof ExpressionFailure) return error;
    throw error;
  }
}

/** Of what made the run fail: not of a step whose failure it was told not to mind. */
export function firstError(pipeline: Pipeline, rows: Iterable<StepRow>): JobError | null {
  const minded = new Set(
    pipeline.steps.filter(({ continueOnError }) => !continueOnError).map(({ id }) => id),
  );
  for (const { step, item, status, error } of rows) {
    if (status !== "failed" || error === null || !minded.has(step)) continue;
    const which = item === "" ? "" : ` (${item})`;
    return { ...error, message: `step '${step}'${which}: ${error.message}` };
  }
  return null;
}
