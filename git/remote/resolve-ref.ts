// Turns a ref into a commit as the remote shows it to the caller's own credential: that is the permission to read it.
import { GitError } from "../command/git-error.ts";
import { type CommitId, commitId, isCommitId } from "./commit-id.ts";
import { readRemoteRefs } from "./read-remote-refs.ts";
import { isRefName } from "./ref-name.ts";
import { type RemoteAccess, withDeadline } from "./remote-access.ts";
import type { RemoteUrl } from "./remote-url.ts";

export type ResolvedRef = AdvertisedCommit | OlderCommit;

/** The remote itself said that the ref is there. */
export interface AdvertisedCommit {
  readonly commit: CommitId;
  /** In full, as it is fetched: `refs/heads/main`; `HEAD` where that names no branch. */
  readonly ref: string;
  /** It was asked for by its id: if the ref moves meanwhile, no other commit will do. */
  readonly byId?: boolean | undefined;
  readonly tips?: undefined;
}

/** Named by id alone. The caller may read it only if it can be reached from what its credential shows: see `isReachable`. */
export interface OlderCommit {
  readonly commit: CommitId;
  readonly ref?: undefined;
  /** Branches and tags, and `refs`, without those that point to the same. */
  readonly tips: readonly string[];
  /** Neither branch nor tag, and fetched for it. */
  readonly refs?: readonly string[] | undefined;
  /** It was shown to this caller before. */
  readonly isShown?: boolean | undefined;
}

/** Without a ref, the remote's default branch. Short names are branches first, then tags. */
export async function resolveRef(
  remote: RemoteUrl,
  ref: string | undefined,
  access: RemoteAccess = {},
): Promise<ResolvedRef> {
  const limited = withDeadline(access);
  if (ref === undefined || ref === "HEAD") return await resolveHead(remote, limited);
  if (isCommitId(ref)) return await resolveCommit(remote, ref, limited);
  if (!isRefName(ref)) throw invalid(`${quoted(ref)} is not a valid name`);
  const names = ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const ids = await readIds(remote, names, limited);
  for (const name of names) {
    const id = ids.get(`${name}^{}`) ?? ids.get(name);
    if (id !== undefined) return { commit: commitId(id), ref: name };
  }
  throw await notThere(remote, ref, limited);
}

async function resolveHead(remote: RemoteUrl, access: RemoteAccess): Promise<AdvertisedCommit> {
  let head: AdvertisedCommit | undefined;
  await readRemoteRefs(remote, ["HEAD"], access, ({ id, target }) => {
    const isBranch = target?.startsWith("refs/") === true && isWritable(target);
    head = { commit: commitId(id), ref: isBranch ? target : "HEAD" };
  });
  if (head !== undefined) return head;
  if (await isEmpty(remote, access)) throw invalid(EMPTY);
  throw invalid("the remote's default branch does not exist; name a branch");
}

async function resolveCommit(
  remote: RemoteUrl,
  commit: CommitId,
  access: RemoteAccess,
): Promise<ResolvedRef> {
  const { also = [], shown = [] } = access;
  const tips = new Set<string>();
  const refs: string[] = [];
  const names: string[] = [];
  let count = 0;
  await readRemoteRefs(remote, [], access, ({ name, id }) => {
    count++;
    const isAlso = also.includes(name) && name.startsWith("refs/") && isWritable(name);
    if (isAlso) refs.push(name);
    if (isAlso || /^refs\/(heads|tags)\//.test(name)) tips.add(id);
    if (id === commit) names.push(name.replace(/\^\{\}$/, ""));
  });
  if (count === 0) throw invalid(EMPTY);
  const ref = bestName(names);
  if (ref !== undefined) return { commit, ref, byId: true };
  const isShown = shown.includes(commit);
  return {
    ...{ commit, tips: [...tips] },
    ...(refs.length > 0 ? { refs } : {}),
    ...(isShown ? { isShown } : {}),
  };
}

/** Branches and tags are fetched anyway; anything else, a pull request say, is fetched for this one commit. */
function bestName(names: readonly string[]): string | undefined {
  const usable = names.filter((name) => name.startsWith("refs/") && isWritable(name));
  return (
    usable.find((name) => name.startsWith("refs/heads/")) ??
    usable.find((name) => name.startsWith("refs/tags/")) ??
    usable[0]
  );
}

/** Remotes may say anything: a name that is not valid here, or not UTF-8, is not given to git. */
function isWritable(name: string): boolean {
  return isRefName(name) && !name.includes("\uFFFD");
}

async function readIds(remote: RemoteUrl, names: readonly string[], access: RemoteAccess) {
  const ids = new Map<string, string>();
  const asked = names.flatMap((name) => [name, `${name}^{}`]);
  await readRemoteRefs(remote, asked, access, ({ name, id }) => ids.set(name, id));
  return ids;
}

async function notThere(remote: RemoteUrl, ref: string, access: RemoteAccess): Promise<GitError> {
  if (await isEmpty(remote, access)) return invalid(EMPTY);
  if (/^[0-9a-f]{4,64}$/i.test(ref)) {
    const way = "an abbreviated commit id is not accepted, give it in full and in lower case";
    return invalid(`the remote has no branch or tag ${quoted(ref)}; ${way}`);
  }
  const kind = ref.startsWith("refs/") ? "ref" : "branch or tag";
  return invalid(`the remote has no ${kind} ${quoted(ref)}`);
}

/** What to ask for when the remote has changed since. */
export function askedFor(resolved: ResolvedRef): string {
  return resolved.ref === undefined || resolved.byId ? resolved.commit : resolved.ref;
}

const EMPTY = "the remote is empty: it has no commits yet";

async function isEmpty(remote: RemoteUrl, access: RemoteAccess): Promise<boolean> {
  let count = 0;
  try {
    await readRemoteRefs(remote, [], access, () => {
      count++;
    });
  } catch (error) {
    if (error instanceof GitError && error.code === "too-large") return false;
    throw error;
  }
  return count === 0;
}

/** Names come from anybody: what would move the cursor of a terminal is not repeated. */
function quoted(ref: string): string {
  return `'${ref.slice(0, 80).replaceAll(/\p{C}/gu, "?")}'`;
}

function invalid(reason: string): GitError {
  return new GitError("invalid-ref", reason, { command: "ls-remote" });
}
