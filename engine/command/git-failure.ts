// A failure of git as a job tells it: whether it is worth trying again.
import { AddressError, GitError, WorkspaceError, WorktreeError } from "@croft/git";
import { GithubError } from "../github/github-error.ts";
import { asGithubFailure } from "../github/results/github-failure.ts";
import { type FailureClass, JobFailure } from "../jobs/job-failure.ts";

/** Network and disk get better by themselves; a wrong ref, a refused repository or what a command has left does not. */
const CLASSES: Partial<Record<string, FailureClass>> = {
  auth: "invalid",
  "not-found": "invalid",
  "invalid-ref": "invalid",
  "invalid-request": "invalid",
  "too-large": "invalid",
  "not-a-repository": "invalid",
  "unsafe-repository": "invalid",
  "invalid-name": "invalid",
  "no-commit": "invalid",
  "branch-exists": "invalid",
  "result-refused": "command",
};

/** Git does not tell how long a remote wants to be left alone. Hosts count by the minute, and forget within the quarter of an hour. */
const BUSY_MS = 60_000;
const BUSY_ATTEMPTS = 10;

/** Told by the git package, in words that can be shown. */
export function isGitFault(error: unknown): error is GitError | WorkspaceError | WorktreeError {
  return (
    error instanceof GitError || error instanceof WorkspaceError || error instanceof WorktreeError
  );
}

export function asFailure(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException | undefined)?.code === "E2BIG") {
    const message = "the command is too long: a text of more than 128 KiB cannot be an argument";
    return new JobFailure("invalid", "command-too-long", message, { cause: error });
  }
  if (error instanceof AddressError && error.code === "private-address") {
    return new JobFailure("invalid", error.code, error.message, { cause: error });
  }
  if (!isGitFault(error)) return error;
  // Git got no token: why, and whether it is worth trying again, was GitHub's to say.
  if (error.cause instanceof GithubError) return asGithubFailure(error.cause);
  if (error.code === "busy") {
    const retryAfterMs = Math.round(BUSY_MS * (1 + Math.random())); // not all of them in the same moment
    const options = { cause: error, retryAfterMs, attempts: BUSY_ATTEMPTS };
    return new JobFailure("transient", error.code, error.message, options);
  }
  // A push may be refused for what others pushed meanwhile; content that is refused stays as it is.
  const isContent = error instanceof GitError && error.details.command !== "push";
  const failureClass =
    error.code === "rejected" && isContent ? "invalid" : (CLASSES[error.code] ?? "transient");
  return new JobFailure(failureClass, error.code, error.message, { cause: error });
}
