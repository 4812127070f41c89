// What an answer of GitHub's that is no success means: too much, not now, not you, or not at all.
import { GithubError } from "./github-error.ts";

export interface Refusal {
  /** `POST /repos/o/r/pulls`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** GitHub's own words, fit to be shown. */
  readonly message: string;
  /** By GitHub's clock. */
  readonly now: number;
}

/** What GitHub asks for when it does not say how long: "at least one minute". */
const UNKNOWN_PAUSE_MS = 60_000;
/** A pause is never longer than the hour that limits are counted by, whatever a header says. */
const PAUSE_MS_MAX = 65 * 60_000;

export function judgeRefusal(refusal: Refusal): GithubError {
  const { what, status, message } = refusal;
  const said = message === "" ? "" : `: ${message}`;
  const retryAfterMs = pauseOf(refusal);
  if (retryAfterMs !== undefined) {
    const text = `GitHub allows no more requests for now ('${what}', ${status})${said}`;
    return new GithubError(text, { status, retryAfterMs, code: "github-rate-limit" });
  }
  if (status >= 300 && status < 400) {
    const text = `GitHub answers '${what}' with a redirect (${status}), which is not followed: was it renamed?`;
    return new GithubError(text, { status, code: "github-refused" });
  }
  if (status >= 500 || status === 408) {
    const text = `GitHub could not answer '${what}' (${status})${said}`;
    return new GithubError(text, { status, code: "github-unavailable" });
  }
  const isAccess = status === 401 || status === 403 || status === 404;
  const text = `GitHub refused '${what}' (${status})${said}`;
  return new GithubError(text, { status, code: isAccess ? "github-no-access" : "github-refused" });
}

/** How long nothing may be asked; undefined when it is no matter of how often. */
function pauseOf({ status, headers, message, now }: Refusal): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const seconds = Number.parseInt(headers["retry-after"] ?? "", 10);
  if (Number.isFinite(seconds)) return bounded(seconds * 1000);
  const resetMs = resetOf(headers, now);
  if (resetMs !== undefined) return bounded(resetMs);
  const isMeant = status === 429 || /rate limit|abuse detection/i.test(message);
  return isMeant ? UNKNOWN_PAUSE_MS : undefined;
}

/** Until there are requests again, when none is left. */
export function resetOf(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  if (headers["x-ratelimit-remaining"] !== "0") return undefined;
  const reset = Number.parseInt(headers["x-ratelimit-reset"] ?? "", 10);
  return Number.isFinite(reset) ? bounded(reset * 1000 - now) : UNKNOWN_PAUSE_MS;
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 1000), PAUSE_MS_MAX);
}
