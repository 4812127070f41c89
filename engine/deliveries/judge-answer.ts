// What an answer means: accepted, later, divide it, or never again.

/** How a request ended. */
export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string };

export type Verdict =
  | { readonly kind: "delivered" }
  /** Tried again; `closesMs`: nothing else goes to the app until then. */
  | { readonly kind: "retry"; readonly afterMs: number; readonly closesMs?: number | undefined }
  /** The message is refused, not the endpoint ill: one file of it is to blame. */
  | { readonly kind: "refused" }
  | { readonly kind: "failed" }
  /** 410: nobody is there any more. */
  | { readonly kind: "gone" };

export interface TriedBefore {
  /** Tries that failed, without this one. */
  readonly failures: number;
  /** Answers of 5xx in a row to this message, without this one. */
  readonly refusals: number;
  /** Other messages were accepted meanwhile. */
  readonly othersSucceed: boolean;
  /** How many files it has. */
  readonly files: number;
}

export interface RetryRules {
  /** The pause after each failed try; after the last of them it is given up. */
  readonly scheduleMs: readonly number[];
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** About the endpoint, not about the message. */
const ENDPOINT_STATUSES = new Set([401, 403, 404, 408, 429]);
const REFUSALS_MAX = 3;
/** Of all tries: one file alone is set aside after so many, because whatever is told of it later waits for it. */
const REFUSALS_ALONE_PART = 0.6;
const RETRY_AFTER_MS_MAX = 86_400_000;
const JITTER = 0.2;

export function judgeAnswer(answer: Answer, before: TriedBefore, rules: RetryRules): Verdict {
  if (answer.kind === "unanswered") return later(before, rules);
  const { status, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "gone" };
  if ((status === 429 || status === 503) && retryAfterMs !== undefined) {
    const waitMs = Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
    const verdict = later(before, rules);
    if (verdict.kind !== "retry" || waitMs === 0) return verdict;
    // Never sooner than without it: whoever says "in a second" for an hour would have used up all tries by then.
    return { ...verdict, afterMs: Math.max(waitMs, verdict.afterMs), closesMs: waitMs };
  }
  const isRefusal = status >= 400 && status < 500 && !ENDPOINT_STATUSES.has(status);
  if (isRefusal) return { kind: "refused" };
  return status >= 500 && isPoison(before, rules) ? { kind: "refused" } : later(before, rules);
}

function isPoison({ refusals, othersSucceed, files }: TriedBefore, rules: RetryRules): boolean {
  if (!othersSucceed || files === 0) return false;
  const tries = rules.scheduleMs.length + 1;
  const alone = Math.max(REFUSALS_MAX, Math.ceil(REFUSALS_ALONE_PART * tries));
  return refusals + 1 >= (files > 1 ? REFUSALS_MAX : alone);
}

function later({ failures }: TriedBefore, { scheduleMs, random }: RetryRules): Verdict {
  const pauseMs = scheduleMs[failures];
  if (pauseMs === undefined) return { kind: "failed" };
  return { kind: "retry", afterMs: Math.round(pauseMs * (1 - JITTER / 2 + JITTER * random())) };
}

/** Seconds or a date; nonsense is none. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
