// The end of a process of handlers, as the failure of what it was doing.
import type { ChildProcess } from "node:child_process";
import { JobFailure } from "../jobs/job-failure.ts";

/** Of one that had not begun with a job, another may have it, as if nothing had been. */
export class HandlerEnded extends JobFailure {
  readonly hasBegun: boolean;

  constructor(message: string, hasBegun: boolean) {
    super("transient", "handler-ended", message);
    this.hasBegun = hasBegun;
  }
}

/** `junk`: what it has sent that was no message. */
export function whyEnded(
  { exitCode, signalCode }: Pick<ChildProcess, "exitCode" | "signalCode">,
  { junk, hasBegun }: { readonly junk: string | undefined; readonly hasBegun: boolean },
): HandlerEnded {
  const message = (text: string) => new HandlerEnded(`its process ${text}`, hasBegun);
  if (junk !== undefined) return message(`was ended: it sent ${junk}`);
  const how = signalCode === null ? `with exit code ${exitCode}` : `by ${signalCode}`;
  if (!hasBegun) return message(`ended ${how} when it was loaded, before it could begin`);
  const isFull = signalCode === "SIGABRT" || exitCode === 134;
  const why = isFull ? ": probably it took more memory than it may (handler.memory)" : "";
  return message(`ended ${how}${why}`);
}
