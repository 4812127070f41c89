// What a filter wants to know of an event that its payload does not tell: GitHub's answer, or undefined where nobody can tell.
import type { Log } from "../log.ts";
import { GithubError } from "./github-error.ts";
import type { GithubEvent } from "./github-event.ts";
import type { AskGithub } from "./github-parts.ts";

export interface AskingParts {
  readonly github?: AskGithub | undefined;
  readonly log: Log;
}

export interface Question {
  readonly route: string;
  readonly signal: AbortSignal;
  readonly [parameter: string]: unknown;
}

/** So often before an answer that is GitHub's own fault may have been a passing one. */
const FAILURES_MIN = 2;

/** Throws while it is worth while to ask again: GitHub is away, or wants to be asked less. */
export async function askAboutEvent(
  { github, log }: AskingParts,
  event: GithubEvent,
  { route, signal, ...parameters }: Question,
): Promise<unknown> {
  const { installation, repository, id } = event;
  if (github === undefined || installation === undefined || repository === undefined) {
    log.warn({ inbox: id, route }, "there is no App to ask about an event: nobody can tell");
    return undefined;
  }
  const asked = { installation, repository: repository.fullName, signal };
  try {
    return await github.ask<unknown>({ ...asked, route, parameters });
  } catch (error) {
    const isFinal =
      isRefusal(error) ||
      (isOwnFault(error) && event.failures >= FAILURES_MIN && (await answers()));
    if (!isFinal) throw error;
    log.warn({ err: error, inbox: id, route }, "GitHub does not tell what a filter asks");
    return undefined;
  }

  /**
   * There are pull requests that GitHub cannot list the files of, ever. If it is well with others of the same repository it
   * is the question; else GitHub is away, and guesses would be wrong for all that wait.
   */
  async function answers(): Promise<boolean> {
    try {
      const other = "GET /repos/{owner}/{repo}/pulls";
      await github?.ask<unknown>({ ...asked, route: other, parameters: { per_page: 1 } });
      return true;
    } catch (error) {
      if (error instanceof GithubError) return isRefusal(error);
      throw error;
    }
  }
}

/** It would say the same the next time. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GithubError) || error.isRateLimit) return false;
  return [403, 404, 410, 422].includes(error.status ?? 0);
}

/** Not one that names the time when it will be well again. */
function isOwnFault(error: unknown): boolean {
  if (!(error instanceof GithubError) || error.retryAfterMs !== undefined) return false;
  return error.status !== undefined && error.status >= 500;
}
