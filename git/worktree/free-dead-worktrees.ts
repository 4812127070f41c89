// Clears away what dead runs of ours left in a repository, before something new is made there.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LedgerEntry, WorkspaceLedger } from "../workspace/ledger.ts";
import { type ClearingContext, clearWorktree, type KeptThing } from "./clear-worktree.ts";
import { readRegistration } from "./registration.ts";

export interface FreeingParts {
  readonly ledger: WorkspaceLedger;
  readonly onKept?: ((kept: KeptThing) => void) | undefined;
}

export interface Freed {
  readonly doomed: readonly string[];
  readonly rowId: string | undefined;
}

/**
 * Under the repository's lock, and the ledger is read under it too: whoever held it until now may have died just before.
 * All dead ones, because one with half a registration can make every git that lists the worktrees fail. One that cannot
 * be cleared is told of and blocks nobody else. Returns what is still to be deleted, and then its rows.
 */
export async function freeDeadWorktrees(
  { id, repository, branch }: LedgerEntry,
  { ledger, onKept = () => {} }: FreeingParts,
  context: ClearingContext,
): Promise<Freed[]> {
  const freed: Freed[] = [];
  for (const entry of await ledger.list()) {
    if (entry.kind !== "worktree" || entry.repository !== repository || entry.id === id) continue;
    const isLive = await ledger.isLive(entry);
    if (isLive && !(entry.branch === branch && (await isBroken(entry)))) continue;
    try {
      const { doomed, kept, isGone } = await clearWorktree(entry, context);
      for (const thing of kept) onKept(thing);
      // The row of a living one is its owner's to remove.
      if (isGone) freed.push({ doomed, rowId: isLive ? undefined : entry.id });
    } catch (error) {
      onKept({ path: entry.path, why: (error as Error).message });
    }
  }
  return freed;
}

/** A living one keeps its branch, unless its directory was deleted by hand, or the git that registered it was killed. */
async function isBroken(entry: LedgerEntry): Promise<boolean> {
  const { state } = await readRegistration(entry);
  return state === "half-made" || (state === "whole" && !existsSync(join(entry.path, ".git")));
}
