// The limits that the configuration sets, as the database keeps them: for all processes together.
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";

const NO_LIMIT = 2 ** 31 - 1;

/** Rows without a limit of their own follow. The process that started last decides. */
export async function applyLimits(
  { pool }: Database,
  { global, perOwner, perLane }: Config["concurrency"],
): Promise<void> {
  const limits = [global ?? NO_LIMIT, perOwner, perLane];
  await despiteDeadlocks(() => pool.query("select croft.set_limits($1, $2, $3)", limits));
}

/** As the API shows it. */
export function limitOf(maxRunning: number): number | null {
  return maxRunning === NO_LIMIT ? null : maxRunning;
}
