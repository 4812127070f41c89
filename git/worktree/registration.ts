// What the caller's repository knows of a worktree of ours: the directory `worktrees/<id>` in it.
import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { LedgerEntry } from "../workspace/ledger.ts";
import { readSmallFile } from "./read-small-file.ts";

/**
 * ```
 * absent → half-made → whole → absent        `git worktree add` is killed, ends; the worktree is removed
 *                        ↓
 *                   moved-away, held         by the developer: both are his now
 * ```
 */
export type Registration =
  | { readonly state: "absent" | "half-made" }
  /** `branch` is what its HEAD names; it need not exist yet. */
  | { readonly state: "whole"; readonly branch: string | undefined }
  /** The registration is not to be touched, the directory at our place is not its any more. */
  | { readonly state: "moved-away"; readonly why: string }
  /** Neither is to be touched. */
  | { readonly state: "held"; readonly why: string };

type Place = Pick<LedgerEntry, "id" | "path" | "repository">;

/** Written at birth, before anything else: so even half a registration says whose it is, and no prune takes it. */
export function lockReason(id: string): string {
  return `croft ${id}`;
}

export function registrationPath({ id, repository }: Pick<Place, "id" | "repository">): string {
  return join(repository, "worktrees", id);
}

/**
 * Only with the repository's lock and for a row of our ledger. The row and the name together say that it is ours; what is
 * looked for here is anything that says otherwise.
 */
export async function readRegistration(entry: Place): Promise<Registration> {
  const path = registrationPath(entry);
  if (!isDirectory(path)) return { state: "absent" };
  const read = (name: string) => readSmallFile(join(path, name));
  const [gitdir, commondir, head] = [
    await read("gitdir"),
    await read("commondir"),
    await read("HEAD"),
  ];
  const reason = await read("locked");
  const ownLink = join(await realpath(dirname(entry.path)), entry.id, ".git");

  if (gitdir && resolve(path, lineOf(gitdir)) !== ownLink) {
    return { state: "moved-away", why: `it is the worktree at '${dirname(lineOf(gitdir))}' now` };
  }
  const isWhole = Boolean(gitdir && commondir && head);
  // Killed in its first moment, git leaves an empty file: in a whole one that is a lock without a reason.
  const isOurLock = reason === undefined || lineOf(reason) === lockReason(entry.id);
  if (!isOurLock && (isWhole || reason !== "")) {
    return { state: "held", why: `somebody else has locked it: '${lineOf(reason ?? "")}'` };
  }
  const other = await otherRegistration(entry, ownLink);
  if (other !== undefined) {
    return { state: "held", why: `its directory and '${other}' name each other` };
  }
  if (!isWhole) return { state: "half-made" };
  const branch = /^ref: refs\/heads\/(.+)$/.exec(lineOf(head ?? ""))?.[1];
  return { state: "whole", branch };
}

/** What the checkout's `.git` names, if that is not our registration and names the checkout in turn. */
async function otherRegistration(entry: Place, ownLink: string): Promise<string | undefined> {
  const named = await namedByCheckout(entry.path);
  if (named === undefined || named === registrationPath(entry)) return undefined;
  const back = await readSmallFile(join(named, "gitdir"));
  return back && resolve(named, lineOf(back)) === ownLink ? named : undefined;
}

/** Whether the checkout names its registration; the other way round `readRegistration` has seen to. */
export async function isLinked(entry: Place): Promise<boolean> {
  return (await namedByCheckout(entry.path)) === registrationPath(entry);
}

async function namedByCheckout(path: string): Promise<string | undefined> {
  const text = await readSmallFile(join(path, ".git"));
  const named = /^gitdir: (.+)$/s.exec(lineOf(text ?? ""))?.[1];
  return named === undefined ? undefined : resolve(path, named);
}

/** Git's little files are one line; a path may have line breaks of its own. */
function lineOf(text: string): string {
  return text.replace(/\n$/, "");
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
