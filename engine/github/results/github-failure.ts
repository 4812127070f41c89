// What an answer of GitHub's means for the work that asked: whether it is worth asking again, and when.
import { JobFailure } from "../../jobs/job-failure.ts";
import { GithubError } from "../github-error.ts";

/** It is not there, or no longer. */
export function isGone(error: unknown): boolean {
  return error instanceof GithubError && (error.status === 404 || error.status === 410);
}

/** It was understood, and cannot be as things are. */
export function isRefused(error: unknown): boolean {
  return error instanceof GithubError && error.status === 422;
}

/** Anything else stays what it is. */
export function asGithubFailure(error: unknown): unknown {
  if (!(error instanceof GithubError)) return error;
  const { message, code, retryAfterMs, mayPass, status } = error;
  const isWorthAnother = mayPass || status === 409;
  return new JobFailure(isWorthAnother ? "transient" : "invalid", code, message, {
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
