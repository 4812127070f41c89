// Tries again while the database is away: it is started anew within a moment, and work that is done must not fail for that.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseUnavailable } from "./is-database-unavailable.ts";

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
