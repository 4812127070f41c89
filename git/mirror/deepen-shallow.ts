// More and more history of a commit that was fetched without, until it is known where it has left another.
import { GitError } from "../command/git-error.ts";
import { entranceOf, type RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import type { AdvertisedCommit } from "../remote/resolve-ref.ts";
import { type FetchContext, fetchInto } from "./fetch-into.ts";
import { hasCommit } from "./is-reachable.ts";
import { knowsMergeBase } from "./merge-base.ts";
import { ownName } from "./move-refs.ts";

const TIMEOUT_MS = 15 * 60_000;
const DEPTH_FIRST = 100;
const DEPTH_FACTOR = 4;
/** From there on all of it. */
const DEPTH_MAX = 100_000;

/** Both are commits that the remote itself named to the caller. Never a guess: all of the history, if need be. */
export async function deepenShallow(
  remote: RemoteUrl,
  one: AdvertisedCommit,
  other: AdvertisedCommit,
  { access, directory }: { readonly access: RemoteAccess; readonly directory: string },
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS } = access;
  const context: FetchContext = { remote, ...entranceOf(access), signal, timeoutMs };
  const commits = { one: one.commit, other: other.commit, signal };
  for (let depth = DEPTH_FIRST; ; depth *= DEPTH_FACTOR) {
    const flag = depth > DEPTH_MAX ? "--unshallow" : `--depth=${depth}`;
    await fetchBoth(directory, [one, other], flag, context);
    if (await knowsMergeBase(directory, commits)) return;
  }
}

async function fetchBoth(
  directory: string,
  both: readonly AdvertisedCommit[],
  flag: string,
  context: FetchContext,
): Promise<void> {
  const fetchBy = async (name: (each: AdvertisedCommit) => string) => {
    const refspecs = both.map((each) => `+${name(each)}:${ownName(each.ref)}`);
    await fetchInto(directory, [...new Set(refspecs)], [flag], context);
  };
  try {
    await fetchBy(({ commit }) => commit);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
    await fetchBy(({ ref }) => ref); // some servers know refs only
  }
  for (const { commit, ref } of both) {
    if (await hasCommit({ gitDir: directory }, commit, context.signal)) continue;
    const reason = `'${ref}' has moved on the remote since it was resolved`;
    throw new GitError("invalid-ref", reason, { command: "fetch" });
  }
}
