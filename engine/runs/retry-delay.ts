// How long to wait before a step is tried again.
import type { RetryPolicy } from "@croft/pipeline";

/** After this many attempts. */
export function retryDelayMs(
  { backoff, delayMs, maxDelayMs }: RetryPolicy,
  attempts: number,
): number {
  const factors = { none: 0, linear: attempts, exponential: 2 ** Math.min(attempts - 1, 30) };
  return Math.min(maxDelayMs, delayMs * factors[backoff]);
}
