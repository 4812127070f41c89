// Makes a mirror, brings it up to date, and makes it anew when it is damaged; always under the long lock.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, rename } from "node:fs/promises";
import { join } from "node:path";
import { packFiles } from "../checkout/lay-out-repository.ts";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import {
  type GitDirectories,
  moveToTrash,
  removeTree,
  stagingPlace,
} from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { type FetchContext, fetchInto, fetchRefs } from "./fetch-into.ts";
import { initPrivate } from "./init-private.ts";
import { moveKept } from "./kept-commits.ts";
import { bringBack } from "./leaving-mirror.ts";
import { nameRemote } from "./mirrored-remotes.ts";
import { below, dropIncoming, moveRefs, ownName } from "./move-refs.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";

export type MirrorDirectories = Pick<GitDirectories, "mirrors" | "staging" | "trash">;

/** Branches and tags; pull requests and single refs are asked for by name. */
export const USUAL_REFS: readonly string[] = ["refs/heads/*", "refs/tags/*"];

export interface MirrorPlace {
  readonly gitDir: string;
  readonly directories: MirrorDirectories;
  readonly locks: RepositoryLocks;
}

/** For the one who holds the long lock. */
export interface UpdateContext extends Omit<FetchContext, "timeoutMs" | "held"> {
  readonly held: readonly number[];
}

const FETCH_TIMEOUT_MS = 15 * 60_000;
export const FIRST_FETCH_TIMEOUT_MS = 6 * 3_600_000;

/** Returns the names among `refs` that the remote does not have. */
export async function updateMirror(
  place: MirrorPlace,
  refs: readonly string[],
  context: UpdateContext,
): Promise<ReadonlySet<string>> {
  const { gitDir, locks } = place;
  await bringBack(gitDir);
  if (!existsSync(gitDir)) return await makeMirror(place, refs, context);
  const recover = async (purpose: string, signal?: AbortSignal) =>
    locks.hold(gitDir, { purpose, signal }, async () => removeStaleFiles(gitDir));
  await recover("recover before fetch", context.signal);
  try {
    return await fetchAndMove(place, refs, context);
  } catch (error) {
    await recover("recover after fetch"); // what was refused or cut off would lie there until the next one
    if (!(error instanceof GitError) || error.code !== "corrupt") throw error;
    return await makeMirror(place, refs, context);
  }
}

/** In staging, and then to its place; what is there already, damaged as it may be, stays until the new one is complete. */
export async function makeMirror(
  { gitDir, directories, locks }: MirrorPlace,
  refs: readonly string[],
  context: UpdateContext,
): Promise<ReadonlySet<string>> {
  const staged = stagingPlace(directories, "mirror");
  await makeDirectories(directories.staging, 0o700);
  await makeDirectories(directories.trash, 0o700);
  try {
    await initPrivate(staged, context.held);
    await nameRemote(staged, context.remote);
    const all = [...new Set([...USUAL_REFS, ...refs, ...(await knownRefs(gitDir))])];
    const missing = await fetchRefs(staged, all, ownName, {
      ...context,
      timeoutMs: FIRST_FETCH_TIMEOUT_MS,
    });
    await runGit(["pack-refs", "--all"], { gitDir: staged, lockDescriptors: context.held });
    const request = { purpose: "put the mirror in place", signal: context.signal };
    await linkSoundPacks(gitDir, staged);
    const move = { from: gitDir, to: staged, held: context.held };
    await moveKept(move, (commit) => fetchKept(staged, commit, context));
    const doomed = await locks.hold(gitDir, request, async () => {
      const old = await moveToTrash(directories, gitDir);
      await rename(staged, gitDir);
      return old;
    });
    if (doomed !== undefined) await removeTree(doomed);
    return missing;
  } catch (error) {
    await removeTree(staged);
    throw error;
  }
}

/** Pull requests and the like that somebody once asked for: a mirror made anew has them too, if the remote still has. */
async function knownRefs(gitDir: string): Promise<string[]> {
  if (!existsSync(gitDir)) return [];
  const args = ["for-each-ref", "--format=%(refname)", "refs/remote"];
  const { stdout, exitCode } = await runGit(args, { gitDir, answers: [128] });
  if (exitCode !== 0) return []; // damaged beyond that
  const names = stdout.toString("utf8").split("\n");
  return names
    .filter((name) => name !== "" && !/^refs\/remote\/(?:heads|tags)\//.test(name))
    .map((name) => name.replace(/^refs\/remote\//, "refs/"));
}

/** Some servers give out what nothing leads to any more; that others do not is no failure. */
async function fetchKept(gitDir: string, commit: CommitId, context: UpdateContext): Promise<void> {
  const limited = { ...context, timeoutMs: FETCH_TIMEOUT_MS };
  try {
    await fetchInto(gitDir, [`+${commit}:refs/incoming/kept`], [], limited);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
  } finally {
    await dropIncoming(gitDir, "refs/incoming");
  }
}

/** Results borrow objects that no ref of the remote leads to any more: whatever of the old mirror is sound stays. */
async function linkSoundPacks(from: string, to: string): Promise<void> {
  const [old, fresh] = [join(from, "objects/pack"), join(to, "objects/pack")];
  for (const name of packFiles(old).filter((file) => file.endsWith(".idx"))) {
    const index = join(old, name);
    const { exitCode } = await runGit(["verify-pack", index], { gitDir: from, answers: [1, 128] });
    if (exitCode !== 0 || existsSync(join(fresh, name))) continue;
    const pack = name.replace(/\.idx$/, ".pack");
    await link(join(old, pack), join(fresh, pack));
    await link(index, join(fresh, name));
  }
}

/** The transfer runs without the repository lock; only the refs are moved under it. */
async function fetchAndMove(
  { gitDir, locks }: MirrorPlace,
  refs: readonly string[],
  context: UpdateContext,
): Promise<ReadonlySet<string>> {
  const incoming = `refs/incoming/${randomUUID()}`;
  const nameHere = (ref: string) => below(incoming, ref);
  try {
    const limited = { ...context, timeoutMs: FETCH_TIMEOUT_MS };
    const missing = await fetchRefs(gitDir, refs, nameHere, limited);
    const request = { purpose: "move fetched refs", signal: context.signal };
    await locks.hold(gitDir, request, async ({ descriptor }) => {
      await moveRefs(gitDir, incoming, refs, [descriptor, ...context.held]);
    });
    return missing;
  } finally {
    await dropIncoming(gitDir, incoming);
  }
}
