// What GitHub refused, or did not answer: with what to do next, and without anything that was secret in the request.

/**
 * - `github-rate-limit`: too many requests: nothing is asked before `retryAfterMs` has passed.
 * - `github-unavailable`: no answer, half of one, or one that says that it is GitHub's own fault: try later, and not before
 *   `retryAfterMs` has passed, if it says so.
 * - `github-no-access`: the App, or this installation of it, may not: somebody must allow it.
 * - `github-refused`: anything else that GitHub says no to: the same request fails again.
 */
export type GithubErrorCode =
  | "github-rate-limit"
  | "github-unavailable"
  | "github-no-access"
  | "github-refused";

export interface GithubErrorOptions {
  /** Undefined when there was no answer, or none that could be read. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly code: GithubErrorCode;
}

export class GithubError extends Error {
  override readonly name = "GithubError";
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly code: GithubErrorCode;

  /** Without a cause: what libraries throw has the request in it, and its headers. */
  constructor(message: string, { status, retryAfterMs, code }: GithubErrorOptions) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }

  get isRateLimit(): boolean {
    return this.code === "github-rate-limit";
  }

  /** Whether it may pass by itself. A fresh token is not known everywhere at once, so 401 may, too. */
  get mayPass(): boolean {
    return this.isRateLimit || this.code === "github-unavailable" || this.status === 401;
  }
}
