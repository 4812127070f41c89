// Replaces the pointers of Git LFS in a checkout by their files, on request only, and before anything of a job has run in it.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckoutPlace, checkoutOptions } from "../checkout/check-out.ts";
import { GitError } from "../command/git-error.ts";
import { type RemoteAccess, runRemoteGit } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { WorkspaceError } from "./workspace-error.ts";

const TIMEOUT_MS = 30 * 60_000;

/** So that the job's own git sees the files as they were committed: as pointers. */
const FILTER = `[filter "lfs"]
\tclean = git-lfs clean -- %f
\tsmudge = git-lfs smudge -- %f
\tprocess = git-lfs filter-process
\trequired = true
`;

/** The address is the remote's own: what `.lfsconfig` in the tree says would be the repository's word, not the caller's. */
export async function fetchLfs(
  place: CheckoutPlace,
  remote: RemoteUrl,
  access: RemoteAccess,
): Promise<void> {
  if (access.reach !== undefined) {
    // It finds addresses by itself, and asks whatever host the server names: neither can be checked beforehand.
    const reason = "files of Git LFS are not fetched where only checked addresses may be reached";
    throw new WorkspaceError("lfs-unavailable", reason);
  }
  appendFileSync(join(place.path, ".git/config"), FILTER);
  const options = checkoutOptions(place);
  try {
    await runRemoteGit(["lfs", "pull"], remote, {
      ...options,
      ...{ tokens: access.tokens, ssh: access.ssh, caFile: access.caFile },
      timeoutMs: access.timeoutMs ?? TIMEOUT_MS,
      config: [...(options.config ?? []), ["lfs.url", `${remote.text}/info/lfs`]],
    });
  } catch (error) {
    if (error instanceof GitError && /'lfs' is not a git command/.test(error.message)) {
      throw new WorkspaceError(
        "lfs-unavailable",
        "Git LFS is not installed: install git-lfs",
        error,
      );
    }
    throw error;
  }
}
