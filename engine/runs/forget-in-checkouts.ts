// Takes away what runs have recorded in checkouts of this machine, when they have given up their results.
import { existsSync } from "node:fs";
import type { Engine } from "../engine.ts";

/** Only our own runs: another data directory may work in the same checkout. One that cannot be done keeps no other. */
export async function forgetInCheckouts(
  { database, git, log }: Pick<Engine, "database" | "git" | "log">,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { rows } = await database.pool.query<{ repository: string; runs: string[] }>(
    `select repository, array_agg(id::text) as runs from croft.run
     where kind = 'worktree' and results_removed_at is not null group by repository`,
  );
  for (const { repository: checkout, runs } of rows) {
    if (isStopped()) return;
    if (!existsSync(checkout)) continue; // its owner has removed it, or it is on another machine
    try {
      const { local } = await git();
      const over = new Set(runs);
      const recorded = await local.listRuns({ checkout });
      for (const run of recorded.filter((each) => over.has(each))) {
        await local.removeRunRefs({ checkout }, run);
      }
    } catch (error) {
      log.warn({ err: error, path: checkout }, "refs of old runs could not be removed");
    }
  }
}
