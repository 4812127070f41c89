// Removes a mirror that nobody wants any more, with its templates; whoever comes meanwhile gets it, or makes a new one.
import { existsSync, readdirSync } from "node:fs";
import { rename, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { runGit } from "../command/run-git.ts";
import { type GitDirectories, moveToTrash, removeTree } from "../disk/git-directories.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import { directoryNameOf, type RemoteUrl } from "../remote/remote-url.ts";
import type { WorkspaceLedger } from "../workspace/ledger.ts";
import { bringBack, leavingName } from "./leaving-mirror.ts";
import { wishesOf } from "./wishes.ts";

export type RemovalOutcome =
  | { readonly kind: "removed" }
  /** There was none. Templates of it, if any, are gone too. */
  | { readonly kind: "absent" }
  | { readonly kind: "wanted" }
  /** A workspace was made from it, or results stand on it: they must go first. */
  | { readonly kind: "in-use"; readonly by: "workspaces" | "results" }
  /** Somebody fetches into it: there will be another time. */
  | { readonly kind: "busy" };

export interface RemovalParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly ledger: WorkspaceLedger;
  /** Removes what templates of a repository are not in use; false when some are left. */
  readonly removeTemplates: (home: string) => Promise<boolean>;
}

/**
 * `isStillWanted` is asked under the long lock, so nobody fetches meanwhile; and twice: the second time when the mirror
 * is out of sight already. Whoever said that it wants it before it looked for it is heard then, and whoever looks later
 * does not find it and waits for the lock to make one.
 */
export async function removeMirror(
  parts: RemovalParts,
  remote: RemoteUrl,
  isStillWanted: () => Promise<boolean>,
): Promise<RemovalOutcome> {
  const { directories, locks } = parts;
  const gitDir = join(directories.mirrors, `${directoryNameOf(remote)}.git`);
  const request = { purpose: "remove a mirror", timeoutMs: 0 };
  const doomed: string[] = [];
  try {
    return await locks.holdLong(gitDir, request, async () => {
      await bringBack(gitDir);
      const look = () => obstacleOf(parts, remote, gitDir, isStillWanted);
      const obstacle = await look();
      if (obstacle !== undefined) return obstacle;
      const isThere = existsSync(gitDir);
      const late = isThere ? await takeAway(parts, gitDir, look, doomed) : undefined;
      if (late !== undefined) return late;
      await removeBelongings(parts, gitDir);
      return { kind: isThere ? "removed" : "absent" };
    });
  } catch (error) {
    if (error instanceof LockTimeout && doomed.length === 0) return { kind: "busy" };
    throw error;
  } finally {
    for (const path of doomed) await removeTree(path); // it may be large: nobody waits for it
  }
}

/** Under the short lock too, because whoever links packs does so under it. */
async function takeAway(
  { directories, locks }: RemovalParts,
  gitDir: string,
  look: () => Promise<RemovalOutcome | undefined>,
  doomed: string[],
): Promise<RemovalOutcome | undefined> {
  const leaving = leavingName(gitDir);
  const request = { purpose: "take a mirror away" };
  return await locks.hold(gitDir, request, async () => {
    await removeTree(leaving); // of a remover who died, before somebody made a new one
    await rename(gitDir, leaving);
    try {
      const obstacle = await look();
      if (obstacle !== undefined) return obstacle;
      const trashed = await moveToTrash(directories, leaving);
      if (trashed !== undefined) doomed.push(trashed);
      return undefined;
    } finally {
      if (doomed.length === 0) await bringBack(gitDir);
    }
  });
}

async function obstacleOf(
  { directories, ledger }: RemovalParts,
  remote: RemoteUrl,
  gitDir: string,
  isStillWanted: () => Promise<boolean>,
): Promise<RemovalOutcome | undefined> {
  const workspaces = await ledger.list();
  if (workspaces.some(({ repository }) => repository === remote.text)) {
    return { kind: "in-use", by: "workspaces" };
  }
  if (await hasResults(directories, gitDir)) return { kind: "in-use", by: "results" };
  return (await isStillWanted()) ? { kind: "wanted" } : undefined;
}

/** They borrow the mirror's objects. One without refs borrows nothing, and stays for its fences. */
async function hasResults({ results }: GitDirectories, gitDir: string): Promise<boolean> {
  const owners = existsSync(results) ? readdirSync(results) : [];
  for (const owner of owners) {
    const theirs = join(results, owner, basename(gitDir));
    if (!existsSync(theirs)) continue;
    const args = ["for-each-ref", "--count=1", "--format=%(refname)"];
    const { stdout } = await runGit(args, { gitDir: theirs });
    if (stdout.length > 0) return true;
  }
  return false;
}

/** Also of a mirror whose remover was killed in between. Templates that somebody uses after all go by their budget. */
async function removeBelongings(
  { directories, removeTemplates }: RemovalParts,
  gitDir: string,
): Promise<void> {
  const home = join(directories.templates, basename(gitDir, ".git"));
  if (existsSync(home)) await removeTemplates(home);
  await rmdir(wishesOf(gitDir)).catch((error: NodeJS.ErrnoException) => {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(error.code ?? "")) throw error; // somebody wants it again
  });
}
