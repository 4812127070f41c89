// Reads what a remote shows to one credential: its refs, one at a time, within a limit.
import { GitError } from "../command/git-error.ts";
import { isCommitId } from "./commit-id.ts";
import { ASK_TIMEOUT_MS, entranceOf, type RemoteAccess, runRemoteGit } from "./remote-access.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface RemoteRef {
  /** In full; an annotated tag comes a second time as `refs/tags/v1^{}`, with what it points to. */
  readonly name: string;
  readonly id: string;
  /** What a symbolic ref stands for: of `HEAD`, the default branch. */
  readonly target?: string | undefined;
}

/** Some 400,000 refs. Each is looked at and forgotten, so that a remote with more costs nothing but an error. */
const LISTING_BYTES_MAX = 32 * 1024 * 1024;

/** More names would not fit into an argument list: then all are listed, and those that were asked for are taken. */
const NAMES_MAX = 500;

/**
 * Only refs of exactly these names, or all when there are none. Git matches the end of a name, so `refs/heads/x` would
 * also bring `refs/other/refs/heads/x`.
 */
export async function readRemoteRefs(
  remote: RemoteUrl,
  names: readonly string[],
  access: RemoteAccess,
  visit: (ref: RemoteRef) => void,
): Promise<void> {
  const asked = names.length > NAMES_MAX ? [] : names;
  const args = ["ls-remote", "--quiet", "--symref", "--end-of-options", remote.text, ...asked];
  const { stdout } = await runRemoteGit(args, remote, {
    ...entranceOf(access),
    signal: access.signal,
    timeoutMs: access.timeoutMs ?? ASK_TIMEOUT_MS,
    maxOutputBytes: LISTING_BYTES_MAX,
  });
  const wanted = new Set(names);
  const targets = new Map<string, string>();
  for (const [left, name] of linesOf(stdout)) {
    if (isSha256(left)) throw unsupported();
    if (wanted.size > 0 && !wanted.has(name)) continue;
    if (left.startsWith("ref: ")) targets.set(name, left.slice("ref: ".length));
    else if (isCommitId(left)) visit({ name, id: left, target: targets.get(name) });
  }
}

function* linesOf(listing: Buffer): Generator<[left: string, name: string]> {
  for (let at = 0; at < listing.length; ) {
    const newline = listing.indexOf("\n", at);
    const end = newline === -1 ? listing.length : newline;
    const tab = listing.indexOf("\t", at);
    if (tab !== -1 && tab < end) {
      yield [listing.toString("utf8", at, tab), listing.toString("utf8", tab + 1, end)];
    }
    at = end + 1;
  }
}

/** Mirrors and results are SHA-1 repositories, as nearly all are; git cannot fetch from one kind into the other. */
function isSha256(left: string): boolean {
  return /^[0-9a-f]{64}$/.test(left);
}

function unsupported(): GitError {
  const reason = "the repository uses SHA-256 object names, which Croft does not support yet";
  return new GitError("failed", reason, { command: "ls-remote" });
}
