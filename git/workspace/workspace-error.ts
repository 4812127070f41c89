// What can go wrong with workspaces and results, beyond git itself.

/**
 * - `kind-unavailable`: this machine cannot make the kind that was asked for; the message says why.
 * - `lfs-unavailable`: files of Git LFS are wanted, but its program is not installed, or they may not be fetched this way.
 * - `invalid-request`: a name, branch or option that cannot be right.
 * - `result-refused`: what the job left is not accepted; the message says what is wrong with it.
 * - `sandbox-failed`: the sandbox could not be set up, or was ended from outside; the message says why.
 * - `stale-attempt`: a later attempt of the same job has begun; this one may not record or publish any more.
 * - `conflict`: the remote's branch has moved; nothing was changed.
 */
export type WorkspaceErrorCode =
  | "kind-unavailable"
  | "lfs-unavailable"
  | "invalid-request"
  | "result-refused"
  | "sandbox-failed"
  | "stale-attempt"
  | "conflict";

export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
