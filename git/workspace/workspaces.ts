// Makes workspaces: resolves what is asked for, chooses the kind, writes the ledger, makes the files.
import { join } from "node:path";
import { DEFAULT_IDENTITY, packBytes } from "../checkout/lay-out-repository.ts";
import type { TreeLimits } from "../checkout/measure-tree.ts";
import { TreeSizes } from "../checkout/tree-sizes.ts";
import { GitError } from "../command/git-error.ts";
import type { DiskAdmission } from "../disk/disk-admission.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { MountError } from "../disk/mount-overlay.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { inMirror, type Mirror, type Mirrors } from "../mirror/mirror.ts";
import type { Platform } from "../platform/detect-platform.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import { ResultRepository } from "../result/result-repository.ts";
import type { Templates } from "../template/templates.ts";
import { reopenRepository } from "../worktree/find-repository.ts";
import type { WorktreeRequest, Worktrees } from "../worktree/worktrees.ts";
import { chooseKind, type KindChoice } from "./choose-kind.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { enterLedger } from "./enter-ledger.ts";
import { jobPlace } from "./job-place.ts";
import type { LedgerEntry, WorkspaceLedger } from "./ledger.ts";
import {
  type CheckoutPlan,
  makeClone,
  makeOverlay,
  makePlaces,
  makeShallowClone,
} from "./make-checkout.ts";
import { deleteTrash, partsOf, removeWorkspace } from "./remove-workspace.ts";
import { untilAborted } from "./until-aborted.ts";
import { Workspace } from "./workspace.ts";
import { requireBranch, type WorkspacePlan, type WorkspaceRequest } from "./workspace-request.ts";

export interface WorkspacesOptions {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly mirrors: Mirrors;
  readonly worktrees: Worktrees;
  readonly templates: Templates;
  readonly ledger: WorkspaceLedger;
  readonly platform: Platform;
  readonly admission: DiskAdmission;
  readonly limits?: TreeLimits | undefined;
  readonly onReport: (report: string) => void;
  readonly onBackgroundError: (what: string, error: unknown) => void;
}

/** An overlay needs next to nothing as long as nobody writes. */
const OVERLAY_NEED = { bytes: 1024 * 1024, files: 20 };
const TRIES_MAX = 10;

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #sizes: TreeSizes;
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.#sizes = new TreeSizes(options.limits);
  }

  /** Resolves with the caller's own credential: what that does not show, the caller does not get. */
  async create(request: WorkspaceRequest): Promise<Workspace> {
    const { repository, ref, depth, patienceMs, ...plan } = request;
    const { access = {} } = plan;
    const { mirrors, directories } = this.#options;
    requireBranch(plan.branch);
    const reaching = { ...access, signal: plan.signal ?? access.signal };
    const resolved = await resolveRef(repository, ref, reaching);
    const shallowAt = stagingPlace(directories, "shallow");
    const shallow = { depth, patienceMs, shallowAt };
    const found =
      plan.kind === "overlay" // needs a template, and that a mirror
        ? inMirror(await mirrors.ensure(repository, resolved, reaching))
        : await mirrors.ensureOrShallow(repository, resolved, reaching, shallow);
    if (found.kind === "mirror") {
      return await this.createAt(found.mirror, found.commit, plan).catch(async (error: unknown) => {
        const isSuspect = error instanceof GitError && error.code === "corrupt";
        if (!isSuspect || !(await mirrors.isDamaged(repository, reaching.signal))) throw error;
        await mirrors.rebuild(repository, reaching); // it was found damaged while it was read
        const mirror = await mirrors.ensure(repository, resolved, reaching);
        return await this.createAt(mirror, mirror.commit, plan);
      });
    }
    const now = { ...resolved, commit: found.commit }; // it may have been forced on meanwhile
    const whenMirrored = () => mirrors.ensure(repository, now, access);
    try {
      return await this.#createShallow({ ...found, repository, whenMirrored }, plan);
    } catch (error) {
      throw asDiskError(error);
    } finally {
      await removeTree(shallowAt);
    }
  }

  /** A linked worktree in a repository that the caller owns. Not a boundary: its commands can change that repository. */
  async createWorktree(request: WorktreeRequest & Pick<WorkspacePlan, "identity">) {
    const { worktrees, directories, platform } = this.#options;
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
    return new Workspace({
      ...{ entry, place, directories, remove },
      ...{ reason: "a worktree was asked for", base: worktree.commit },
      identity: request.identity ?? DEFAULT_IDENTITY,
      results: { kind: "repository", gitDir: commonDir, user },
    });
  }

  async createAt(mirror: Mirror, commit: CommitId, plan: WorkspacePlan): Promise<Workspace> {
    requireBranch(plan.branch);
    plan.signal?.throwIfAborted();
    const isSparse = (plan.sparse ?? []).length > 0;
    const wish = { kind: plan.kind, isSparse, isShallow: false };
    const choice = chooseKind(wish, this.#options.platform);
    try {
      return choice.kind === "overlay"
        ? await this.#createOverlay(mirror, commit, plan, choice)
        : await this.#createClone(mirror, commit, plan, choice);
    } catch (error) {
      throw asDiskError(error);
    }
  }

  /** What was thrown away is gone from the disk. */
  async idle(): Promise<void> {
    while (this.#deleting.size > 0) await Promise.all(this.#deleting);
  }

  /** Takes away what a ledger entry says; used by the sweep too. */
  async removeEntry(entry: LedgerEntry, isQuiet: boolean): Promise<void> {
    const { directories, ledger, onReport, platform, worktrees } = this.#options;
    if (entry.kind === "worktree") {
      const { kept } = await worktrees.remove(entry);
      for (const { path, why } of kept) onReport(`kept '${path}': ${why}`);
      return;
    }
    const parts = { directories, ledger, onReport, jobUser: platform.jobUser };
    this.#deleteLater(await removeWorkspace(entry, parts, isQuiet));
  }

  async #createOverlay(mirror: Mirror, commit: CommitId, plan: WorkspacePlan, choice: KindChoice) {
    const { templates, admission } = this.#options;
    for (let tries = 1; ; tries++) {
      const template = await untilAborted(templates.get(mirror, commit), plan.signal);
      const layers = template.layers.map((layer) => join(layer, ".."));
      const entry = await this.#enter(plan, mirror, { kind: "overlay", layers });
      try {
        await admission.admit("a workspace", OVERLAY_NEED, () =>
          makeOverlay(this.#checkoutPlan(entry, mirror, commit, plan), template),
        );
        await this.#complete(entry, mirror, commit, plan);
        plan.signal?.throwIfAborted();
        return this.#open(entry, mirror, commit, { plan, reason: choice.reason });
      } catch (error) {
        await this.removeEntry(entry, true);
        // A sweep may have taken the template, or put it aside for a moment, between our look and our entry in the ledger.
        if (!(error instanceof MountError) || tries >= TRIES_MAX) throw error;
      }
    }
  }

  /** From the one commit that was fetched while the mirror is still being made. */
  async #createShallow(found: ShallowSource, plan: WorkspacePlan): Promise<Workspace> {
    const { gitDir, commit, repository: remote, whenMirrored } = found;
    const { platform, mirrors } = this.#options;
    const { reason } = chooseKind({ kind: plan.kind, isSparse: false, isShallow: true }, platform);
    const mirror = { gitDir: mirrors.pathOf(remote), remote };
    const opening = { plan, reason, whenMirrored };
    return await this.#createCopy({ source: { gitDir, remote }, mirror, commit }, opening, (to) =>
      makeShallowClone(to, gitDir),
    );
  }

  async #createClone(mirror: Mirror, commit: CommitId, plan: WorkspacePlan, choice: KindChoice) {
    const opening = { plan, reason: choice.reason };
    return await this.#createCopy({ source: mirror, mirror, commit }, opening, (to) =>
      makeClone(to, mirror, this.#options.locks),
    );
  }

  async #createCopy(
    { source, mirror, commit }: { source: Mirror; mirror: Mirror; commit: CommitId },
    opening: Opening,
    make: (plan: CheckoutPlan) => Promise<void>,
  ): Promise<Workspace> {
    const { admission, platform } = this.#options;
    const { plan } = opening;
    const { files, bytes } = await this.#sizes.measure(source.gitDir, commit);
    const packs = join(source.gitDir, "objects/pack");
    const need = { files, bytes: bytes + (platform.jobUser === undefined ? packBytes(packs) : 0) };
    const entry = await this.#enter(plan, mirror, { kind: "clone" });
    try {
      await admission.admit(`a workspace of ${need.files} files`, need, () =>
        make(this.#checkoutPlan(entry, mirror, commit, plan)),
      );
      await this.#complete(entry, source, commit, plan);
      plan.signal?.throwIfAborted();
      return this.#open(entry, mirror, commit, opening);
    } catch (error) {
      await this.removeEntry(entry, true);
      throw error;
    }
  }

  /** Before anything is made. Earlier attempts of the job are over from now on. */
  async #enter({ name, owner, branch }: WorkspacePlan, mirror: Mirror, kind: EntryKind) {
    const { ledger, directories, locks } = this.#options;
    await new ResultRepository({ directories, locks }, owner.owner, mirror).begin(owner);
    const what = { ...owner, ...kind, branch, repository: mirror.remote.text };
    return await enterLedger(ledger, directories, name, what);
  }

  #checkoutPlan(
    entry: LedgerEntry,
    { remote }: Mirror,
    commit: CommitId,
    plan: WorkspacePlan,
  ): CheckoutPlan {
    const { directories, platform } = this.#options;
    return {
      entry,
      path: entry.path,
      parts: partsOf(directories, entry.id),
      head: { commit, branch: plan.branch },
      remote,
      identity: plan.identity ?? DEFAULT_IDENTITY,
      owner: platform.jobUser,
      sparse: plan.sparse ?? [],
      signal: plan.signal,
    };
  }

  async #complete(entry: LedgerEntry, source: Mirror, commit: CommitId, plan: WorkspacePlan) {
    const { mirrors, locks, platform, directories } = this.#options;
    const place = { path: entry.path, owner: platform.jobUser, signal: plan.signal };
    const parts = partsOf(directories, entry.id);
    await completeCheckout({ ...place, parts, mirrors, locks }, source, commit, plan);
  }

  #open(
    entry: LedgerEntry,
    mirror: Mirror,
    base: CommitId,
    { plan, reason, whenMirrored }: Opening,
  ): Workspace {
    const { directories, locks, platform } = this.#options;
    const repository = new ResultRepository({ directories, locks }, entry.owner, mirror);
    const open = async () => {
      await whenMirrored?.(); // results borrow from the mirror
      return repository;
    };
    return new Workspace({
      ...{ entry, reason, base, directories },
      place: jobPlace(entry, { directories, platform, user: platform.jobUser }),
      identity: plan.identity ?? DEFAULT_IDENTITY,
      results: { kind: "results", open, remote: mirror.remote },
      remove: (isQuiet) => this.removeEntry(entry, isQuiet),
    });
  }

  #deleteLater(trash: readonly string[]): void {
    if (trash.length === 0) return;
    const deleting = deleteTrash(trash)
      .catch((error: unknown) => this.#options.onBackgroundError("delete a workspace", error))
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }
}

interface ShallowSource {
  readonly gitDir: string;
  readonly commit: CommitId;
  readonly repository: RemoteUrl;
  readonly whenMirrored: () => Promise<unknown>;
}

type EntryKind = Pick<LedgerEntry, "kind" | "layers">;

interface Opening {
  readonly plan: WorkspacePlan;
  readonly reason: string;
  readonly whenMirrored?: (() => Promise<unknown>) | undefined;
}
