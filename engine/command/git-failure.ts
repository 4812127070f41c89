// A failure of git as a job tells it: whether it is worth trying again.
import { GitError, WorkspaceError, WorktreeError } from "@croft/git";
import { type FailureClass, JobFailure } from "../jobs/job-failure.ts";

/** Network and disk get better by themselves; a wrong ref or a refused repository does not. */
const CLASSES: Partial<Record<string, FailureClass>> = {
  auth: "invalid",
  "not-found": "invalid",
  "invalid-ref": "invalid",
  "invalid-request": "invalid",
  "too-large": "invalid",
};

export function asFailure(error: unknown): unknown {
  const isKnown =
    error instanceof GitError || error instanceof WorkspaceError || error instanceof WorktreeError;
  if (!isKnown) return error;
  const failureClass = CLASSES[error.code] ?? "transient";
  return new JobFailure(failureClass, error.code, error.message, { cause: error });
}
