// A claim keeps a file that nobody has recorded yet. It is written before the file comes to its place.
import type { Queryable } from "../database/in-transaction.ts";
import { newId } from "../new-id.ts";
import type { Assets } from "./assets.ts";
import { isOverBudget, roomIsOver } from "./disk-budget.ts";
import { type FileKey, fileName } from "./file-key.ts";

/** Whose files are needed for as long as it may record them, and not a moment longer. */
export interface ClaimingAttempt {
  readonly jobId: string;
  readonly attempt: number;
}

export interface FileClaim extends FileKey {
  readonly claim: string;
}

/** Whoever is no attempt has so long to record a file: much longer than it takes to send one. */
const CLAIM_MS = 3_600_000;

export async function claimFile(
  assets: Assets,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  by: ClaimingAttempt | undefined,
): Promise<FileClaim> {
  const { database, budgetBytes = null } = assets;
  const claim = newId();
  const until = by === undefined ? [null, null, CLAIM_MS] : [by.jobId, by.attempt, null];
  try {
    const { rows } = await database.pool.query<{ generation: string }>(
      "select croft.claim_asset_file($1, decode($2, 'hex'), $3, $4, $5, $6, $7) as generation",
      [claim, sha256, bytes, ...until, budgetBytes],
    );
    const generation = rows[0]?.generation;
    if (generation === undefined) throw new Error("the claim could not be written");
    return { claim, sha256, generation };
  } catch (error) {
    throw isOverBudget(error) ? roomIsOver(assets) : error;
  }
}

/** Of these files, the names of those that have a claim. */
export async function claimedOf(
  client: Queryable,
  files: readonly FileKey[],
): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const { rows } = await client.query<FileKey>(
    `select encode(f.sha256, 'hex') as sha256, f.generation from unnest($1::text[], $2::uuid[]) x(sha256, generation)
     join croft.asset_file f on f.sha256 = decode(x.sha256, 'hex') and f.generation = x.generation
     where exists (select from croft.asset_claim c where c.sha256 = f.sha256)`,
    [files.map(({ sha256 }) => sha256), files.map(({ generation }) => generation)],
  );
  return new Set(rows.map(fileName));
}

/** It will not be recorded: the file goes with the next sweep, unless somebody else needs it. */
export async function endClaim(client: Queryable, { claim }: FileClaim): Promise<void> {
  await client.query("select croft.end_asset_claims(array[$1::uuid])", [claim]).catch(() => {}); // it ends by itself, later
}
