// A worktree that could not be made, with a code that says what the caller can do next.

/**
 * - `not-a-repository`: there is none at that path.
 * - `unsafe-repository`: it belongs to another user, whose configuration could run programs as us.
 * - `invalid-name`: no branch can have that name, or no ref or commit is called so.
 * - `no-commit`: the repository has no such commit, or none at all yet.
 * - `branch-in-use`: checked out in another worktree, which `details.path` names.
 * - `branch-exists`: at another commit than the base that was asked for; nothing was changed.
 * - `locked`: a lock file that may be a living git's is in the way, which `details.path` names.
 */
export type WorktreeErrorCode =
  | "not-a-repository"
  | "unsafe-repository"
  | "invalid-name"
  | "no-commit"
  | "branch-in-use"
  | "branch-exists"
  | "locked";

export interface WorktreeErrorDetails {
  readonly branch?: string | undefined;
  readonly path?: string | undefined;
}

export class WorktreeError extends Error {
  override readonly name = "WorktreeError";
  readonly code: WorktreeErrorCode;
  readonly details: WorktreeErrorDetails;

  constructor(
    code: WorktreeErrorCode,
    message: string,
    details: WorktreeErrorDetails = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}
