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
  /** Answers of 5xx in a row to this message while others were accepted, without this one. */
  readonly refusals: number;
  readonly canDivide: boolean;
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
    return verdict.kind === "retry" ? { ...verdict, afterMs: waitMs, closesMs: waitMs } : verdict;
  }
  const isRefusal = status >= 400 && status < 500 && !ENDPOINT_STATUSES.has(status);
  if (isRefusal) return { kind: "refused" };
  const isPoison = status >= 500 && before.refusals + 1 >= REFUSALS_MAX && before.canDivide;
  return isPoison ? { kind: "refused" } : later(before, rules);
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
