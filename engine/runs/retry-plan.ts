// What a retry does again: what has not succeeded, and everything that was built on it.
import { type Pipeline, planGraph } from "@croft/pipeline";
import { EngineError } from "../engine-error.ts";
import type { StepRow } from "./run-rows.ts";

export interface RetryPlan {
  /** Failed or cancelled: done again, but items of a matrix that have ended well keep what they have. */
  readonly goneOn: readonly string[];
  /** As if they had never run, items and all. */
  readonly begunAgain: readonly string[];
}

/**
 * A step that was skipped is no reason for a retry: nothing went wrong, and what needs it has run with that. It is decided
 * about again when something before it is done again.
 */
export function retryPlan(
  pipeline: Pipeline,
  rows: readonly Pick<StepRow, "step" | "item" | "status">[],
  from: string | undefined,
): RetryPlan {
  const { ancestors } = planGraph(pipeline);
  if (from !== undefined && !ancestors.has(from)) {
    throw new EngineError("invalid-input", `the run has no step '${from.slice(0, 100)}'`);
  }
  const roots = new Set(
    rows.filter(({ item, status }) => item === "" && isOpen(status)).map(({ step }) => step),
  );
  if (from !== undefined) roots.add(from);
  const begunAgain = [...ancestors].flatMap(([id, before]) =>
    id === from || [...before].some((each) => roots.has(each)) ? [id] : [],
  );
  const isBegunAgain = new Set(begunAgain);
  return { begunAgain, goneOn: [...roots].filter((id) => !isBegunAgain.has(id)) };
}

function isOpen(status: StepRow["status"]): boolean {
  return status !== "done" && status !== "skipped";
}
