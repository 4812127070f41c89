// How much room is left for files, where the installation was given a budget.
import { AssetError } from "./asset-error.ts";
import type { Assets } from "./assets.ts";

/** See `croft.claim_asset_file`, which has the last word: what is read here may have changed when the file is complete. */
const SQL_STATE = "CR002";

export function isOverBudget(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === SQL_STATE;
}

/** In bytes, so that nobody writes a file to the disk that cannot be kept. */
export async function requireRoom(
  assets: Pick<Assets, "database" | "budgetBytes">,
): Promise<number> {
  const { database, budgetBytes } = assets;
  if (budgetBytes === undefined) return Number.POSITIVE_INFINITY;
  const { rows } = await database.pool.query<{ bytes: string }>(
    "select bytes from croft.asset_usage",
  );
  return Math.max(0, budgetBytes - Number(rows[0]?.bytes ?? 0));
}

export function roomIsOver({ budgetBytes }: Pick<Assets, "budgetBytes">): AssetError {
  const message = `all files together may take ${budgetBytes} bytes (assets.budgetBytes): remove some (their room is free within a minute or two), or raise it`;
  return new AssetError("disk-full", message);
}
