// What can be asked of a workspace.
import type { Identity } from "../checkout/lay-out-repository.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { SubmoduleRules } from "../remote/read-submodules.ts";
import { isRefName } from "../remote/ref-name.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import type { WorkspaceOwner } from "./ledger.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** A workspace at a commit that the caller was found to be allowed to read. */
export interface WorkspacePlan {
  /** Readable part of its id. */
  readonly name: string;
  readonly owner: WorkspaceOwner;
  readonly kind?: "overlay" | "clone" | undefined;
  /** Checked out at the commit; detached without one. */
  readonly branch?: string | undefined;
  /** Directories, as `git sparse-checkout` takes them. */
  readonly sparse?: readonly string[] | undefined;
  readonly identity?: Identity | undefined;
  /** Whose, and as whom: for the repository itself, its submodules and its large files. */
  readonly access?: RemoteAccess | undefined;
  /** Left out unless rules for them are given. */
  readonly submodules?: SubmoduleRules | undefined;
  /** Pointers stay pointers unless asked. */
  readonly lfs?: boolean | undefined;
  /** Other repositories, checked out inside this one; no part of its result. */
  readonly repositories?: readonly FurtherRepository[] | undefined;
  /** Where its commit has left the one that its request named for `history`. */
  readonly mergeBase?: CommitId | undefined;
  /** `off`: its commands run without a sandbox where there is one, too. Git of ours in it stays inside. */
  readonly sandbox?: "off" | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FurtherRepository {
  readonly repository: RemoteUrl;
  /** As of a workspace. */
  readonly ref?: string | undefined;
  /** From the top of the workspace; nothing of its repository may be there. */
  readonly path: string;
  /** Its own: that of the workspace's repository is not used for another. */
  readonly access?: RemoteAccess | undefined;
}

/** A result of the same owner and repository. */
export interface ResultStart {
  readonly commit: CommitId;
  /** The commit of the remote that it stands on, as its first workspace had it. */
  readonly base: CommitId;
}

export interface WorkspaceRequest extends WorkspacePlan {
  readonly repository: RemoteUrl;
  /** Branch, tag, `refs/pull/7/head` or a full commit id; the default branch without one. */
  readonly ref?: string | undefined;
  /** Instead of a ref: where an earlier workspace, or an integration, ended. */
  readonly from?: ResultStart | undefined;
  /**
   * A ref or commit as above: the workspace has as much history as it takes to know where it has left that one, and says
   * where. The whole of it, unless a mirror's first fetch runs.
   */
  readonly history?: string | undefined;
  /** Only while a mirror's first fetch runs: how much history the workspace then has. */
  readonly depth?: number | undefined;
  /** How long a mirror's first fetch is waited for. */
  readonly patienceMs?: number | undefined;
}

export function requireBranch(branch: string | undefined): void {
  if (branch === undefined) return;
  const isBranch = isRefName(branch) && !branch.startsWith("refs/") && branch !== "HEAD";
  if (isBranch) return;
  throw new WorkspaceError("invalid-request", `not a valid branch name: '${branch.slice(0, 80)}'`);
}
