// The end of what an installation's events have started, when the App is taken off.
import type { Queryable } from "../database/in-transaction.ts";
import type { GithubEvent } from "./github-event.ts";
import { endsInstallation } from "./keep-installations.ts";

/** What is more would make the transaction long, which holds back readers of events. */
const PART_MAX = 10_000;

/** Its runs are asked to end. Returns its jobs, to be cancelled when their lanes are locked: runs come first everywhere. */
export async function endWork(client: Queryable, event: GithubEvent): Promise<readonly string[]> {
  if (!endsInstallation(event)) return [];
  const { rows } = await client.query<{ jobs: readonly string[] }>(
    "select croft.end_installation($1, $2) as jobs",
    [event.installation, PART_MAX],
  );
  return rows[0]?.jobs ?? [];
}
