// The order of test files: those that start whole systems first, so that no long one is left to run alone at the end.
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { projectRoot } from "../../scripts/source-files.ts";

/** By what their tests do: start servers and browsers, run git, ask a database; the rest computes. */
const SLOWEST = ["test/faults.test.ts", "test/dashboard", "test/", "git/", "engine/", "server/"];

/** By rule, not by what the last run took: a fresh clone has no last run. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one) - rank(other)); // stable: within a rank as before
  }
}

function rank({ moduleId }: TestSpecification): number {
  const path = relative(projectRoot, moduleId);
  const found = SLOWEST.findIndex((prefix) => path.startsWith(prefix));
  return found === -1 ? SLOWEST.length : found;
}
