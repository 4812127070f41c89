// The shape of an input, in the words that zod and its like have in common (standardschema.dev).
import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "../engine-error.ts";

export interface InputSchema<Output = unknown> {
  readonly "~standard": {
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly InputIssue[] };

export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export interface FieldFault {
  /** `input`, and the way from there. */
  readonly path: string;
  readonly message: string;
}

export type InputReading<Output = unknown> =
  | { readonly value: Output; readonly fault?: undefined }
  | { readonly fault: string; readonly fields: readonly FieldFault[] };

const ISSUES_MAX = 20;
/** A check may ask elsewhere; whoever submits does not wait for ever, nor does a transaction, which may be silent for 5 s. */
export const CHECK_LIMIT_MS = 4000;

/** With all that is wrong, by its path; so much of it as anybody reads. A promise only where the schema asks elsewhere. */
export function readInput<Output>(
  schema: InputSchema<Output>,
  input: unknown,
  limitMs: number = CHECK_LIMIT_MS,
): InputReading<Output> | Promise<InputReading<Output>> {
  const validated = schema["~standard"].validate(input);
  if (!(validated instanceof Promise)) return readingOf(validated);
  return within(limitMs, validated, slowCheck).then((late) => readingOf(late));
}

/** Of a schema that did not come to say anything. */
export function failedReading(why: string): Extract<InputReading, { fault: string }> {
  const message = `its check failed: ${why}`;
  return { fault: `not valid: ${message}`, fields: [{ path: "input", message }] };
}

function readingOf<Output>(validated: Validated<Output>): InputReading<Output> {
  if (validated.issues === undefined) return { value: validated.value };
  const fields = validated.issues.slice(0, ISSUES_MAX).map(({ message, path = [] }) => {
    const names = path.map((part) => String(typeof part === "object" ? part.key : part));
    return { path: ["input", ...names].join("."), message };
  });
  const reasons = fields.map(({ path, message }) => `${path}: ${message}`);
  const more = validated.issues.length - fields.length;
  const fault = `not valid: ${reasons.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return { fault, fields };
}

/** It was at it for all the time that a schema has, and would be the next time, too. */
export class SlowCheck extends EngineError {}

export function slowCheck(): SlowCheck {
  return new SlowCheck("unavailable", TOO_LONG);
}

const TOO_LONG = "the check of the input takes too long: try again later";

/** Rejects when it takes longer; nobody waits for the rest. */
export async function within<T>(
  limitMs: number,
  work: Promise<T>,
  reason = () => new EngineError("unavailable", TOO_LONG),
): Promise<T> {
  const over = new AbortController();
  const late = delay(limitMs, undefined, { signal: over.signal }).then(() => {
    throw reason();
  });
  late.catch(() => {}); // nobody waits for it any more
  return await Promise.race([work, late]).finally(() => over.abort());
}
