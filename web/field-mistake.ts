// Which field of a form a refusal is about, where the server tells it in words only.
import { ProblemError } from "./problem-error.ts";
import { sentence } from "./sentence.ts";

/**
 * The message for a field: from the list of invalid fields, or from a detail such as `not valid: base_url must be https`.
 * Undefined when the refusal is about something else.
 */
export function fieldMistake(error: unknown, field: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const told = error.errors.find(({ path }) => path === field || path.startsWith(`${field}.`));
  if (told !== undefined) return sentence(told.message);
  const about = new RegExp(`^not valid: ${field}:? (.+)$`, "is").exec(error.detail)?.[1];
  return about === undefined ? undefined : sentence(about);
}

/** What no field of the form shows: told beside it as a whole. */
export function isUntold(error: unknown, fields: readonly string[]): boolean {
  return error !== null && fields.every((field) => fieldMistake(error, field) === undefined);
}
