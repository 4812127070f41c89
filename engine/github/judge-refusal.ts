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
  const pauseMs = pauseOf(refusal);
  if (pauseMs !== undefined) {
    const text = `GitHub allows no more requests for now ('${what}', ${status})${said}`;
    return new GithubError(text, { status, retryAfterMs: pauseMs, code: "github-rate-limit" });
  }
  if (status >= 300 && status < 400) {
    const text = `GitHub answers '${what}' with a redirect (${status}), which is not followed: was it renamed?`;
    return new GithubError(text, { status, code: "github-refused" });
  }
  if (status >= 500 || status === 408) {
    const text = `GitHub could not answer '${what}' (${status})${said}`;
    const retryAfterMs = status === 503 ? retryAfterOf(refusal) : undefined;
    return new GithubError(text, { status, retryAfterMs, code: "github-unavailable" });
  }
  const isAccess = status === 401 || status === 403 || status === 404;
  const text = `GitHub refused '${what}' (${status})${said}`;
  return new GithubError(text, { status, code: isAccess ? "github-no-access" : "github-refused" });
}

/** How long nothing may be asked; undefined when it is no matter of how often. */
function pauseOf(refusal: Refusal): number | undefined {
  const { status, headers, message, now } = refusal;
  if (status !== 403 && status !== 429) return undefined;
  const retryAfterMs = retryAfterOf(refusal);
  if (retryAfterMs !== undefined) return retryAfterMs;
  const resetMs = resetOf(headers, now);
  if (resetMs !== undefined) return bounded(resetMs);
  const isMeant = status === 429 || /rate limit|abuse detection/i.test(message);
  return isMeant ? UNKNOWN_PAUSE_MS : undefined;
}

/** Seconds, or a date: what stands before a server of one's own may say either. */
function retryAfterOf({ headers, now }: Pick<Refusal, "headers" | "now">): number | undefined {
  const said = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - now;
  return Number.isFinite(ms) ? bounded(ms) : undefined;
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
