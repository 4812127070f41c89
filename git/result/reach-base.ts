// Opens an owner's results with the commit of the remote that they stand on, which the caller must still be allowed to read.
import type { GitDirectories } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { hasCommit } from "../mirror/is-reachable.ts";
import type { Mirrors } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { readRemoteRefs } from "../remote/read-remote-refs.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import { ResultRepository } from "./result-repository.ts";

export interface ResultParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly mirrors: Mirrors;
}

export interface BaseRequest {
  readonly owner: string;
  readonly repository: RemoteUrl;
  readonly base: CommitId;
  readonly access?: RemoteAccess | undefined;
}

/**
 * A base that a result of this owner leads to was read by it before: then it is enough that the credential still opens
 * the repository, because the branch may have been forced away since, and a run must be able to go on. Any other base
 * must be shown by the remote, as whenever a commit is asked for.
 */
export async function reachBase(parts: ResultParts, request: BaseRequest) {
  const { repository, base, owner, access = {} } = request;
  const mirror = { gitDir: parts.mirrors.pathOf(repository), remote: repository };
  const results = new ResultRepository(parts, owner, mirror);
  const isKnown =
    (await results.hasRecorded(base)) && (await hasCommit(mirror, base, access.signal));
  if (isKnown) {
    await readRemoteRefs(repository, ["HEAD"], access, () => {});
  } else {
    await parts.mirrors.ensure(repository, await resolveRef(repository, base, access), access);
  }
  return { results, mirror };
}
