// Does the same to several jobs: one that fails does not keep the others from it.
import { EngineError } from "@croft/engine";
import { describeFailure, exitCodeOf } from "./report-failures.ts";

/** The failures are told on stderr, and the exit code is that of the worst. */
export async function eachJob<Result>(
  ids: readonly string[],
  action: (id: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const id of ids) {
    try {
      results.push(await action(id));
    } catch (error) {
      if (!(error instanceof EngineError) || error.code === "unavailable") throw error;
      process.stderr.write(`croft: ${id}: ${describeFailure(error)}\n`);
      process.exitCode = Math.max(Number(process.exitCode ?? 0), exitCodeOf(error));
    }
  }
  return results;
}
