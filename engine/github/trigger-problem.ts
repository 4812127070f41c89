// Why a trigger starts nothing, if that is its own doing.
import { ExpressionFailure } from "@croft/pipeline";
import { EngineError } from "../engine-error.ts";
import { SlowCheck } from "../jobs/input-schema.ts";

const OWN_CODES: readonly string[] = ["invalid-input", "invalid-pipeline", "unknown-type"];
const LENGTH_MAX = 1000;

/** What its own words, or those of the job's schema, make impossible: to try again would give the same. */
export function problemOf(error: unknown): string | undefined {
  if (error instanceof ExpressionFailure) return error.message;
  if (!(error instanceof EngineError)) return undefined;
  const isOwn = OWN_CODES.includes(error.code) || error instanceof SlowCheck;
  return isOwn ? error.message.slice(0, LENGTH_MAX) : undefined;
}
