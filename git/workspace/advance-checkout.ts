// Brings a fresh overlay from the commit of its template to a result that stands on it, by writing only what differs.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CheckoutPlace, checkOut, checkoutOptions } from "../checkout/check-out.ts";
import { runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { type ChangedFile, hasAttributes, listChanges } from "../template/change-list.ts";
import { settleAll } from "../template/settle-index.ts";
import { namesOf, stageChanges } from "../template/stage-changes.ts";

const CHANGES_MAX = 5000;

export interface Advance {
  readonly to: CommitId;
  /** Undefined when they are too many to be written one by one. */
  readonly changes: readonly ChangedFile[] | undefined;
}

/** `gitDir` has both commits; `files` are those of the newer one. */
export async function planAdvance(
  gitDir: string,
  { from, to }: { readonly from: CommitId; readonly to: CommitId },
  files: number,
): Promise<Advance> {
  const changes = await listChanges(gitDir, from, to, { changes: CHANGES_MAX, files: files + 1 });
  return { to, changes };
}

/** Before anything of a job has run in it. Its index knows the template's files already, and need not look at them. */
export async function advanceCheckout(
  place: CheckoutPlace,
  { to, changes }: Advance,
): Promise<void> {
  if (changes === undefined || hasAttributes(changes)) return await writeAnew(place, to);
  if (changes.length === 0) return;
  await stageChanges(place, changes);
  const input = namesOf(changes.filter(({ mode }) => mode !== "000000"));
  const args = ["checkout-index", "-f", "-u", "-z", "--stdin"];
  await runGit(args, { ...checkoutOptions(place), input });
}

/** How files are written may have changed too, also of those that are the same: so all of them are written again. */
async function writeAnew(place: CheckoutPlace, to: CommitId): Promise<void> {
  await checkOut(place, to); // takes away what is gone
  rmSync(join(place.path, ".git/index"));
  await checkOut(place, to);
  await settleAll(place);
}
