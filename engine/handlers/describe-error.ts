// What anybody may throw, as something that can be told.
import type { HandlerError } from "./handler-messages.ts";

const MESSAGE_LENGTH_MAX = 2000;
const STACK_LENGTH_MAX = 8000;
const CODE = /^[a-z][a-z0-9-]{0,63}$/;
const CLASSES = ["transient", "invalid", "command"] as const;

/** Never throws, though what is thrown may: `null`, an object without a prototype, a getter that throws. */
export function describeError(error: unknown, project: string): HandlerError {
  try {
    return describe(error, project);
  } catch {
    return { message: "it threw something that cannot be described" };
  }
}

function describe(error: unknown, project: string): HandlerError {
  const { code, class: kind, retryAfterMs } = (error ?? {}) as Record<string, unknown>;
  const { message, stack } = error instanceof Error ? error : { message: error, stack: undefined };
  const known = CLASSES.find((each) => each === kind);
  const isDelay = typeof retryAfterMs === "number" && retryAfterMs >= 0;
  return {
    message: textOf(message).slice(0, MESSAGE_LENGTH_MAX) || "it threw an error without a message",
    ...(typeof code === "string" && CODE.test(code) ? { code } : {}),
    ...(known === undefined ? {} : { class: known }),
    ...(isDelay ? { retryAfterMs: Math.min(retryAfterMs, 86_400_000) } : {}),
    ...(typeof stack === "string" ? { stack: shortened(stack, project) } : {}),
  };
}

function textOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return typeof thrown === "object" && thrown !== null ? JSON.stringify(thrown) : String(thrown);
}

/** Where the project lies is no concern of whoever reads the log. */
function shortened(stack: string, project: string): string {
  return stack
    .replaceAll(`file://${project}/`, "")
    .replaceAll(`${project}/`, "")
    .slice(0, STACK_LENGTH_MAX);
}
