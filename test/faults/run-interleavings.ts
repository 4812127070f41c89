// Whatever happens in between: locks, ledger and the advance of runs under every order that fast-check draws, and on real transactions.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contendForRuns } from "./contended-runs.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { interleaveAdvance } from "./interleave-advance.ts";
import {
  type Interleaving,
  interleaveLedger,
  interleaveLocks,
  interleaveQueue,
} from "./interleave-locks.ts";

const DRAWN: Record<string, (plan: Interleaving) => Promise<void>> = {
  ...{ queue: interleaveQueue, locks: interleaveLocks, ledger: interleaveLedger },
  advance: interleaveAdvance,
};
const RUNS_SHARE = 0.1;

export interface InterleavingOptions extends FaultOptions {
  readonly databaseUrl?: string | undefined;
}

/** `count` interleavings of each, and a tenth as many runs on the database. */
export async function interleaveRuns(options: InterleavingOptions): Promise<FaultResult> {
  const { seed, count, directory, databaseUrl } = options;
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  for (const [name, draw] of Object.entries(DRAWN)) {
    const place = join(directory, name);
    mkdirSync(place);
    figures[name] = count;
    try {
      await draw({ seed, count, directory: place });
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const runs = Math.ceil(count * RUNS_SHARE);
  const data = join(directory, "data");
  mkdirSync(data);
  const contended = await contendForRuns({ seed, count: runs, directory: data, databaseUrl });
  failures.push(...contended.failures);
  const interleavings = Object.values(figures).reduce((sum, each) => sum + each, 0);
  return {
    injected: interleavings + runs,
    figures: { ...figures, runs, ...contended.figures },
    failures,
  };
}
