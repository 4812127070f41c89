// Why an attempt ended without success, in the classes that decide whether there is another.
import type { JobError } from "@croft/contract";
import { redactText } from "@croft/git";

export type FailureClass = JobError["class"];

/** Thrown by handlers that know better than "it failed once": `invalid` is never tried again, `transient` is. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly code: string;
  readonly failureClass: FailureClass;
  /** When to try again, if it is tried again. */
  readonly retryAfterMs: number | undefined;
  /** How often such a failure may happen, if the handler knows better than the job. */
  readonly attempts: number | undefined;
  /** For programs, by the code: what the message says, and more of it. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    failureClass: FailureClass,
    code: string,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly retryAfterMs?: number;
      readonly attempts?: number;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failureClass = failureClass;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.attempts = options.attempts;
    this.details = options.details;
  }
}

const MESSAGE_LENGTH_MAX = 2000;

/**
 * What anybody may read of it, with secrets blotted out by whoever knows them. An error of unknown kind may have passed
 * with the moment that caused it.
 */
export function describeFailure(error: unknown, blot = (text: string) => text): JobError {
  const known = error instanceof JobFailure ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: known?.code ?? "failed",
    class: known?.failureClass ?? "transient",
    message: storable(redactText(blot(message)).slice(0, MESSAGE_LENGTH_MAX)),
    ...(known?.details === undefined ? {} : { details: known.details }),
  };
}

/** PostgreSQL has no text with the character 0, nor with half of a surrogate pair. */
export function storable(text: string): string {
  return Buffer.from(text.replaceAll("\0", "\ufffd"), "utf8").toString("utf8");
}
