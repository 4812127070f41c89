// Which runs still want the commits that their steps made.
import type { Database } from "../database/open-database.ts";
import { isId } from "../new-id.ts";

/** Those that have not ended, or not long ago; a run has its row before any of its steps can make a commit. */
export async function wantedRuns(
  { pool }: Database,
  runs: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from croft.run where id = any ($1) and results_removed_at is null",
    [runs.filter((run) => isId(run))],
  );
  return new Set(rows.map(({ id }) => id));
}
