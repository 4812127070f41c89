// Tries again while the database is away: it is started anew within a moment, and work that is done must not fail for that.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseUnavailable } from "./is-database-unavailable.ts";

/** PostgreSQL ends one of those that wait for each other, and nothing of it has happened. */
const DEADLOCK_STATES = ["40P01", "40001"];
const DEADLOCKS_MAX = 5;

export function isDeadlock(error: unknown): boolean {
  return DEADLOCK_STATES.includes((error as { code?: string } | null)?.code ?? "");
}

/** For whole transactions: the other has gone on meanwhile. */
export async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || nth === DEADLOCKS_MAX) throw error;
    }
  }
}

/** Whoever runs a job has lost it by then. */
const PATIENCE_MS = 10_000;
const AGAIN_AFTER_MS = 100;

/** For statements that may be carried out twice: the answer may be lost when the work is done. */
export async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error;
      await delay(AGAIN_AFTER_MS);
    }
  }
}
