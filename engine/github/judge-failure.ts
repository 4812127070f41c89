// When an event that could not be handled is tried again, and when it is given up.
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import { GithubError } from "./github-error.ts";

export type Verdict =
  | {
      readonly status: "pending";
      readonly afterMs: number;
      /** What is told of it; undefined when it is nobody's fault: as if it had not been tried. */
      readonly code: "github-away" | "not-handled" | undefined;
    }
  | { readonly status: "failed" };

export interface Tried {
  /** Before this one. */
  readonly failures: number;
  readonly refusals: number;
  /** Since it came or was replayed. */
  readonly waitedMs: number;
}

/** While GitHub is away, or wants to be asked less; the last again and again. */
const AWAY_MS = [1000, 5000, 30_000, 120_000, 300_000] as const;
/**
 * So long GitHub is waited for, from the time at which an event came: a whole line of them gives up together, where so many
 * tries of each would keep the last of them for days.
 */
const AWAY_MS_MAX = 24 * 3_600_000;
/** Anything else is most likely the same again, and holds its installation back meanwhile. */
const REFUSED_MS = [1000, 5000] as const;
const DATABASE_MS = 1000;
/** A statement, a lock or a silence took too long. The database is there: it is the event's own work that cannot be written. */
const TIME_LIMITS: readonly unknown[] = ["57014", "55P03", "25P03"];
/** What GitHub asks for is believed up to here. */
const ASKED_MS_MAX = 3_600_000;

export function judgeFailure(error: unknown, { failures, refusals, waitedMs }: Tried): Verdict {
  if (isDatabaseUnavailable(error) && !isOverTimeLimit(error)) {
    return { status: "pending", afterMs: DATABASE_MS, code: undefined };
  }
  if (error instanceof GithubError && isAway(error)) {
    if (waitedMs > AWAY_MS_MAX) return { status: "failed" };
    const pause = AWAY_MS[Math.min(failures, AWAY_MS.length - 1)] ?? 0;
    const askedMs = Math.min(error.retryAfterMs ?? 0, ASKED_MS_MAX);
    return { status: "pending", afterMs: Math.max(pause, askedMs), code: "github-away" };
  }
  const pause = REFUSED_MS[refusals];
  if (pause === undefined) return { status: "failed" };
  return { status: "pending", afterMs: pause, code: "not-handled" };
}

function isOverTimeLimit(error: unknown): boolean {
  return TIME_LIMITS.includes((error as { code?: unknown }).code);
}

/** A 401 does not pass: by then a fresh token was tried, and the key is another, or the App suspended or deleted. */
function isAway({ code }: GithubError): boolean {
  return code === "github-rate-limit" || code === "github-unavailable";
}
