// Makes workspaces: resolves what is asked for with the caller's own credential, and takes them away again.
import { DEFAULT_IDENTITY } from "../checkout/lay-out-repository.ts";
import { GitError } from "../command/git-error.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { removeTree, stagingPlace } from "../disk/git-directories.ts";
import { recordLocally } from "../local/hold-local.ts";
import { findMergeBase } from "../mirror/merge-base.ts";
import { inMirror, type Mirror, type Mirrors } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import { type AdvertisedCommit, type ResolvedRef, resolveRef } from "../remote/resolve-ref.ts";
import type { OnReport } from "../report.ts";
import { reopenRepository } from "../worktree/find-repository.ts";
import { WorktreeError } from "../worktree/worktree-error.ts";
import type { WorktreeRequest, Worktrees } from "../worktree/worktrees.ts";
import { jobPlace } from "./job-place.ts";
import type { LedgerEntry } from "./ledger.ts";
import { makePlaces } from "./make-checkout.ts";
import { deleteTrash, partsOf, removeWorkspace, subjectOf } from "./remove-workspace.ts";
import { withResult } from "./result-beginning.ts";
import { Workspace } from "./workspace.ts";
import { type Beginning, type MakerParts, WorkspaceMaker } from "./workspace-maker.ts";
import { requireBranch, type WorkspacePlan, type WorkspaceRequest } from "./workspace-request.ts";

export interface WorkspacesOptions extends Omit<MakerParts, "removeEntry"> {
  readonly worktrees: Worktrees;
  readonly onReport: OnReport;
  readonly onBackgroundError: (what: string, error: unknown) => void;
}

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #maker: WorkspaceMaker;
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    const removeEntry = (entry: LedgerEntry, isQuiet: boolean) => this.removeEntry(entry, isQuiet);
    this.#maker = new WorkspaceMaker({ ...options, removeEntry });
  }

  /** Resolves with the caller's own credential: what that does not show, the caller does not get. */
  async create(request: WorkspaceRequest): Promise<Workspace> {
    const { repository, ref, from, depth, patienceMs, history, ...plan } = request;
    const { access = {} } = plan;
    const { mirrors, directories } = this.#options;
    requireBranch(plan.branch);
    const reaching = { ...access, signal: plan.signal ?? access.signal };
    const other =
      history === undefined ? undefined : await resolveRef(repository, history, reaching);
    const make = async (beginning: Beginning) =>
      await this.#make(beginning, {
        ...plan,
        mergeBase: await leftAt(mirrors, beginning, other, reaching),
      });
    if (from !== undefined) return await withResult(this.#options, request, from, make);
    const resolved = await resolveRef(repository, ref, reaching);
    const shallowAt = stagingPlace(directories, "shallow");
    const shallow = { depth, patienceMs, shallowAt, history: advertised(other) };
    const needsMirror = plan.kind === "overlay" || (other !== undefined && other.ref === undefined);
    const found = needsMirror // for a template, or to know whether the caller may read a commit
      ? inMirror(await mirrors.ensure(repository, resolved, reaching))
      : await mirrors.ensureOrShallow(repository, resolved, reaching, shallow);
    if (found.kind === "mirror") {
      return await make(found).catch(async (error: unknown) => {
        const isSuspect = error instanceof GitError && error.code === "corrupt";
        if (!isSuspect || !(await mirrors.isDamaged(repository, reaching.signal))) throw error;
        await mirrors.rebuild(repository, reaching); // it was found damaged while it was read
        const mirror = await mirrors.ensure(repository, resolved, reaching);
        return await make({ mirror, commit: mirror.commit });
      });
    }
    const now = { ...resolved, commit: found.commit }; // it may have been forced on meanwhile
    const whenMirrored = () => mirrors.ensure(repository, now, access);
    const mirror = { gitDir: mirrors.pathOf(repository), remote: repository };
    try {
      const { gitDir, commit: one } = found;
      const { signal } = reaching;
      const mergeBase =
        other && (await findMergeBase(gitDir, { one, other: other.commit, signal }));
      return await this.#maker.makeShallow(
        { ...found, mirror, whenMirrored },
        { ...plan, mergeBase },
      );
    } catch (error) {
      throw asDiskError(error);
    } finally {
      await removeTree(shallowAt);
    }
  }

  /** A linked worktree in a repository that the caller owns. Not a boundary: its commands can change that repository. */
  async createWorktree(request: WorktreeRequest & Pick<WorkspacePlan, "identity" | "sandbox">) {
    const { worktrees, directories, platform, locks } = this.#options;
    const worktree = await worktrees.create(request);
    const { entry, commonDir } = worktree;
    const user = (await reopenRepository(commonDir))?.owner;
    const parts = partsOf(directories, entry.id);
    const place = jobPlace(entry, { directories, platform, user, writable: [commonDir] });
    const remove = () => this.removeEntry(entry, true);
    try {
      makePlaces({ parts, owner: user, entry });
    } catch (error) {
      await remove();
      throw asDiskError(error);
    }
    const record = async (ref: string, commit: CommitId, signal: AbortSignal | undefined) => {
      const repository = await reopenRepository(commonDir);
      if (repository === undefined) {
        throw new WorktreeError("not-a-repository", `the repository at '${commonDir}' is gone`);
      }
      await recordLocally(locks, repository, { ref, commit, runId: entry.runId, signal });
    };
    return new Workspace({
      ...{ entry, place, directories, remove, isOpen: request.sandbox === "off" },
      ...{ reason: "a worktree was asked for", base: worktree.commit },
      identity: request.identity ?? DEFAULT_IDENTITY,
      results: { kind: "repository", gitDir: commonDir, user, record },
    });
  }

  async createAt(mirror: Mirror, commit: CommitId, plan: WorkspacePlan): Promise<Workspace> {
    return await this.#make({ mirror, commit }, plan);
  }

  /** What was thrown away is gone from the disk. */
  async idle(): Promise<void> {
    while (this.#deleting.size > 0) await Promise.all(this.#deleting);
  }

  /** Takes away what a ledger entry says; used by the sweep too. */
  async removeEntry(entry: LedgerEntry, isQuiet: boolean): Promise<void> {
    const { directories, ledger, onReport, platform, worktrees } = this.#options;
    await ledger.removing?.(entry.id);
    if (entry.kind === "worktree") {
      const { kept } = await worktrees.remove(entry);
      for (const { path, why } of kept) onReport(`kept '${path}': ${why}`, subjectOf(entry));
      return;
    }
    const parts = { directories, ledger, onReport, jobUser: platform.jobUser };
    this.#deleteLater(await removeWorkspace(entry, parts, isQuiet));
  }

  async #make(beginning: Beginning, plan: WorkspacePlan): Promise<Workspace> {
    requireBranch(plan.branch);
    plan.signal?.throwIfAborted();
    try {
      return await this.#maker.make(beginning, plan);
    } catch (error) {
      throw asDiskError(error);
    }
  }

  #deleteLater(trash: readonly string[]): void {
    if (trash.length === 0) return;
    const deleting = deleteTrash(trash)
      .catch((error: unknown) => this.#options.onBackgroundError("delete a workspace", error))
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }
}

/** In a mirror, where all history is: of a result in the repository that has that, and borrows from the mirror. */
async function leftAt(
  mirrors: Mirrors,
  { mirror, commit: one, result }: Beginning,
  resolved: ResolvedRef | undefined,
  access: RemoteAccess,
): Promise<CommitId | undefined> {
  if (resolved === undefined) return undefined;
  const { commit: other } = await mirrors.ensure(mirror.remote, resolved, access);
  const { signal } = access;
  return await findMergeBase(result?.gitDir ?? mirror.gitDir, { one, other, signal });
}

function advertised(resolved: ResolvedRef | undefined): AdvertisedCommit | undefined {
  return resolved?.ref === undefined ? undefined : resolved;
}
