// Takes a worktree of ours out of the caller's repository and out of sight, whatever state it is in.
import { existsSync, lstatSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type GitDirectories, moveToTrash, removeTree } from "../disk/git-directories.ts";
import type { LedgerEntry } from "../workspace/ledger.ts";
import { partsOf } from "../workspace/remove-workspace.ts";
import { isWorkspaceId } from "../workspace/workspace-id.ts";
import { removeBranchRemains } from "./branch-remains.ts";
import { endOrphans } from "./end-orphans.ts";
import type { CallersRepository } from "./find-repository.ts";
import { type Registration, readRegistration, registrationPath } from "./registration.ts";
import { removeTreeAsOwner } from "./remove-as-owner.ts";
import { refLockPath, removeStaleRefLock } from "./stale-ref-lock.ts";

/** Something that was left where it is, because it may be somebody else's. */
export interface KeptThing {
  readonly path: string;
  readonly why: string;
}

export interface Clearing {
  /** What lies in the trash now, to be deleted without the lock, and before the row. */
  readonly doomed: readonly string[];
  readonly kept: readonly KeptThing[];
  /** False when the checkout itself was kept: then its row must stay too. */
  readonly isGone: boolean;
}

export interface ClearingContext {
  readonly directories: GitDirectories;
  readonly repository: CallersRepository;
  /** Of the repository's lock, and since when it is held. */
  readonly descriptor: number;
  readonly heldSinceMs: number;
}

/**
 * Under the repository's lock, for a worktree in which nobody works any more. The registration, which proves the rest,
 * goes last: after a kill anywhere, doing it again finds what is left. The branch stays.
 */
export async function clearWorktree(
  entry: LedgerEntry,
  context: ClearingContext,
): Promise<Clearing> {
  requireOwnPlace(entry, context.directories);
  const registration = await readRegistration(entry);
  const path = registrationPath(entry);
  if (registration.state === "held") {
    return { doomed: [], kept: [{ path, why: registration.why }], isGone: false };
  }
  // A checkout ends with its index; commands have their temporary files beside it. Looking at all processes takes a while.
  const parts = partsOf(context.directories, entry.id);
  const isQuiet = existsSync(join(path, "index")) && !existsSync(parts);
  if (!isQuiet) await endOrphans(entry.id, parts, context.repository.owner);
  const kept = await clearBranch(entry, registration, context);
  const doomed = await throwAway(entry, context.directories);
  if (registration.state === "moved-away") kept.push({ path, why: registration.why });
  else await removeTreeAsOwner(path, context.repository.owner);
  return { doomed, kept, isGone: true };
}

/** The same when the repository is gone. */
export async function clearCheckout(
  entry: LedgerEntry,
  directories: GitDirectories,
): Promise<Clearing> {
  requireOwnPlace(entry, directories);
  await endOrphans(entry.id, partsOf(directories, entry.id), undefined);
  return { doomed: await throwAway(entry, directories), kept: [], isGone: true };
}

/**
 * The checkout, and what its commands had beside it. Under names made of the id, so that whoever is killed before deleting
 * them leaves no riddle: the row still tells.
 */
async function throwAway(
  { id, path }: LedgerEntry,
  directories: GitDirectories,
): Promise<string[]> {
  const doomed = join(directories.trash, id);
  const places = [
    [path, doomed],
    [partsOf(directories, id), `${doomed}.parts`],
  ] as const;
  const trash = places.map(([, target]) => target);
  for (const [place, target] of places) {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) continue;
    await removeTree(target); // of an earlier try
    try {
      await rename(place, target);
    } catch {
      const moved = await moveToTrash(directories, place); // knows more ways
      if (moved !== undefined) trash.push(moved);
    }
  }
  return trash.filter((target) => existsSync(target));
}

/** A row that was tampered with must not lead to anybody else's directory. */
function requireOwnPlace({ id, kind, path }: LedgerEntry, { workspaces }: GitDirectories): void {
  const isOwn = kind === "worktree" && isWorkspaceId(id);
  if (isOwn && basename(path) === id && dirname(path) === workspaces) return;
  throw new Error(`refusing to remove '${path}': it is not the place of worktree '${id}'`);
}

async function clearBranch(
  entry: LedgerEntry,
  registration: Registration,
  { repository, descriptor, heldSinceMs }: ClearingContext,
): Promise<KeptThing[]> {
  if (registration.state !== "whole" || registration.branch === undefined) return [];
  const { branch } = registration;
  // A job may have switched to another branch: what lies there is not known to be ours.
  if (branch !== entry.branch) return [];
  const why = await removeStaleRefLock({ repository, entry, branch, heldSinceMs });
  await removeBranchRemains(branch, repository, descriptor);
  return why === undefined ? [] : [{ path: refLockPath(repository.commonDir, branch), why }];
}
