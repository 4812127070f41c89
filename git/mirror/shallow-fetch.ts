// One commit straight from the remote, without its history, for those who cannot wait for the mirror.
import { existsSync } from "node:fs";
import { GitError } from "../command/git-error.ts";
import { removeTree } from "../disk/git-directories.ts";
import { entranceOf, type RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import type { AdvertisedCommit } from "../remote/resolve-ref.ts";
import { deepenShallow } from "./deepen-shallow.ts";
import { type FetchContext, fetchInto } from "./fetch-into.ts";
import { initPrivate } from "./init-private.ts";
import { hasCommit } from "./is-reachable.ts";
import { ownName } from "./move-refs.ts";

export interface ShallowFetchOptions {
  /** How many commits of history; 1 is the commit alone. */
  readonly depth: number;
  /** And then as much as it takes to know where the commit has left this one. */
  readonly history?: AdvertisedCommit | undefined;
  readonly access: RemoteAccess;
  /** Where the bare repository is made. The caller owns the place: nothing must be there yet, and after a failure nothing is. */
  readonly directory: string;
}

const TIMEOUT_MS = 15 * 60_000;
const DEPTH_MAX = 1_000_000;

/**
 * Only for a commit that the remote itself named: servers give out any object to those who know its id, also one that
 * this caller could not reach. Its ref has the same name as it would have in a mirror.
 */
export async function fetchShallow(
  remote: RemoteUrl,
  resolved: AdvertisedCommit,
  { depth, history, access, directory }: ShallowFetchOptions,
): Promise<void> {
  if (!Number.isInteger(depth) || depth < 1 || depth > DEPTH_MAX) {
    throw new RangeError(`depth must be a whole number from 1 to ${DEPTH_MAX}`);
  }
  const { commit, ref } = resolved;
  const { signal, timeoutMs = TIMEOUT_MS } = access;
  const context: FetchContext = { remote, ...entranceOf(access), signal, timeoutMs };
  const flags = [`--depth=${depth}`];
  if (existsSync(directory)) throw new Error(`something is at '${directory}' already`);
  try {
    await initPrivate(directory);
    try {
      await fetchInto(directory, [`+${commit}:${ownName(ref)}`], flags, context);
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
      await fetchInto(directory, [`+${ref}:${ownName(ref)}`], flags, context); // some servers know refs only
    }
    if (!(await hasCommit({ gitDir: directory }, commit, signal))) throw moved(ref);
    if (history !== undefined)
      await deepenShallow(remote, resolved, history, { access, directory });
  } catch (error) {
    await removeTree(directory);
    throw error;
  }
}

function moved(ref: string): GitError {
  const reason = `'${ref}' has moved on the remote since it was resolved`;
  return new GitError("invalid-ref", reason, { command: "fetch" });
}
