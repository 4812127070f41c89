// The clock of leases: it never jumps, and is the same in every thread and process of the machine.

/** Unlike `performance.now()`, which counts from the start of a thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
