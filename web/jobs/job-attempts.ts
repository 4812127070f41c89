// The attempts of a job, derived from its events.
import type { Event, JobError } from "@croft/contract";

export interface JobAttempt {
  readonly number: number;
  readonly worker: string | undefined;
  /** When it got in line, or back in line. */
  readonly queuedAt: string;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly outcome: "running" | "done" | "failed" | "cancelled" | "lost" | "drained";
  readonly error: JobError | undefined;
  /** When the next one may start. */
  readonly retryAt: string | undefined;
}

export function jobAttempts(events: readonly Event[]): JobAttempt[] {
  const attempts: JobAttempt[] = [];
  let queuedAt = events[0]?.at ?? "";
  for (const { type, data, at } of events) {
    if (type === "job.started") {
      attempts.push({
        ...{ number: numberIn(data["attempt"]) ?? attempts.length + 1, queuedAt, startedAt: at },
        ...{ worker: textIn(data["worker"]), outcome: "running" },
        ...{ endedAt: undefined, error: undefined, retryAt: undefined },
      });
    }
    if (!/^job\.(done|failed|cancelled|retrying)$/.test(type)) continue;
    queuedAt = at;
    const last = attempts.at(-1);
    // A job that is cancelled in line ends without an attempt.
    if (last?.endedAt !== undefined || last === undefined) continue;
    attempts[attempts.length - 1] = {
      ...last,
      endedAt: at,
      outcome: outcomeOf(type, data),
      error: errorIn(data["error"]),
      retryAt: textIn(data["run_at"]),
    };
  }
  return attempts;
}

function outcomeOf(type: string, data: Event["data"]): JobAttempt["outcome"] {
  const outcome = data["outcome"];
  if (outcome === "lost" || outcome === "drained") return outcome;
  if (type === "job.done") return "done";
  return type === "job.cancelled" ? "cancelled" : "failed";
}

function errorIn(value: unknown): JobError | undefined {
  return typeof value === "object" && value !== null ? (value as JobError) : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
