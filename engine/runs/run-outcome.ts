// What a run has to say at its end: its outputs, or its error.
import type { JobError } from "@croft/contract";
import {
  type ExpressionContext,
  ExpressionFailure,
  ExpressionWork,
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
    const known = await contextWith(namedIn(outputs));
    const context = { ...known, work: new ExpressionWork() };
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

/** Of what made the run fail, first in the file: not of a step whose failure it was told not to mind. */
export function firstError(
  { steps }: Pipeline,
  rowsOf: (step: string) => readonly StepRow[],
): JobError | null {
  for (const { id, continueOnError } of steps) {
    if (continueOnError) continue;
    const rows = rowsOf(id);
    const main = rows.find(({ item }) => item === "");
    if (main?.status !== "failed") continue;
    const [failed = main] = failedItems(rows);
    const error = failed.error ?? main.error;
    if (error === null) continue;
    const which = failed.item === "" ? "" : ` (${failed.item})`;
    return { ...error, message: `step '${id}'${which}: ${error.message}` };
  }
  return null;
}

/** What a step says whose items have ended, and not all of them well. */
export function groupError(rows: readonly StepRow[]): JobError {
  const items = rows.filter(({ item }) => item !== "");
  const bad = items.filter(({ status }) => status !== "done").sort(byPosition);
  const [failed] = failedItems(rows);
  const names = bad.slice(0, NAMED_MAX).map(({ item, status }) => `'${item}' (${status})`);
  const more = bad.length > NAMED_MAX ? `, and ${bad.length - NAMED_MAX} more` : "";
  return {
    code: "items-failed",
    class: failed?.error?.class ?? "cancelled",
    message: `${bad.length} of ${items.length} items did not succeed: ${names.join(", ")}${more}`,
  };
}

const NAMED_MAX = 5;

function failedItems(rows: readonly StepRow[]): readonly StepRow[] {
  const failed = rows.filter(({ item, status }) => item !== "" && status === "failed");
  return failed.filter(({ error }) => error !== null).sort(byPosition);
}

function byPosition(a: StepRow, b: StepRow): number {
  return a.position - b.position;
}
