// `--quick` or CROFT_BENCH_QUICK=1: a tenth of the work, to try a change. Its figures are not for quoting.

export const isQuick: boolean =
  process.argv.includes("--quick") || process.env["CROFT_BENCH_QUICK"] === "1";

/** A tenth of it in a quick run. */
export function amount(count: number): number {
  return isQuick ? Math.ceil(count / 10) : count;
}
