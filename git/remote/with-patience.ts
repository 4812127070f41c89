// Ends a wait when its caller leaves or its time is over, whichever is first.
import { GitError } from "../command/git-error.ts";
import type { RemoteAccess } from "./remote-access.ts";

/** The work gets a signal whose reason is what the caller will be told. */
export async function withPatience<T>(
  { signal, timeoutMs }: Pick<RemoteAccess, "signal" | "timeoutMs">,
  command: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const patience = new AbortController();
  const onAbort = () => patience.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => patience.abort(timedOut(command, timeoutMs)), timeoutMs);
  try {
    return await work(patience.signal);
  } catch (error) {
    throw patience.signal.aborted ? patience.signal.reason : error; // not how some git of it was ended
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function timedOut(command: string, timeoutMs: number): GitError {
  return new GitError("timeout", `git ${command} failed: timed out after ${timeoutMs} ms`, {
    command,
  });
}
