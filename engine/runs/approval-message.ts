// What whoever is asked for an approval is told.
import {
  type ExpressionContext,
  ExpressionFailure,
  evaluateText,
  type Step,
} from "@croft/pipeline";
import { storable } from "../jobs/job-failure.ts";
import { namedIn } from "./artifact-texts.ts";
import type { ArtifactName } from "./current-artifacts.ts";

const LENGTH_MAX = 4000;

/** Null without one; a failure is the step's own. */
export async function approvalMessage(
  step: Step | undefined,
  contextWith: (names: readonly ArtifactName[]) => Promise<ExpressionContext>,
): Promise<string | null | ExpressionFailure> {
  if (step?.kind !== "approval" || step.message === undefined) return null;
  try {
    const context = await contextWith(namedIn(step.message));
    return storable(evaluateText(step.message, context)).slice(0, LENGTH_MAX);
  } catch (error) {
    if (error instanceof ExpressionFailure) return error;
    throw error;
  }
}
