// Makes workspaces: resolves what is asked for, chooses the kind, writes the ledger, makes the files.
import { join } from "node:path";
import { DEFAULT_IDENTITY, type Identity } from "../checkout/lay-out-repository.ts";
import { measureTree, type TreeLimits } from "../checkout/measure-tree.ts";
import { thisProcess } from "../command/process-identity.ts";
import type { DiskAdmission } from "../disk/disk-admission.ts";
import { asDiskError } from "../disk/disk-error.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { Platform } from "../platform/detect-platform.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { isRefName } from "../remote/ref-name.ts";
import { ResultRepository } from "../result/result-repository.ts";
import type { JobPlace } from "../sandbox/job-command.ts";
import type { Templates } from "../template/templates.ts";
import { chooseKind, type KindChoice } from "./choose-kind.ts";
import type { LedgerEntry, WorkspaceLedger, WorkspaceOwner } from "./ledger.ts";
import { type CheckoutPlan, makeClone, makeOverlay, temporaryOf } from "./make-checkout.ts";
import { deleteTrash, partsOf, removeWorkspace } from "./remove-workspace.ts";
import { Workspace } from "./workspace.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { drawWorkspaceId } from "./workspace-id.ts";

export interface WorkspacesOptions {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly templates: Templates;
  readonly ledger: WorkspaceLedger;
  readonly platform: Platform;
  readonly admission: DiskAdmission;
  readonly limits?: TreeLimits | undefined;
  readonly onReport: (report: string) => void;
  readonly onBackgroundError: (what: string, error: unknown) => void;
}

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
  readonly signal?: AbortSignal | undefined;
}

/** An overlay needs next to nothing as long as nobody writes. */
const OVERLAY_NEED = { bytes: 1024 * 1024, files: 20 };
const TRIES_MAX = 10;

export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  async createAt(mirror: Mirror, commit: CommitId, plan: WorkspacePlan): Promise<Workspace> {
    requireBranch(plan.branch);
    plan.signal?.throwIfAborted();
    const wish = {
      kind: plan.kind,
      isSparse: (plan.sparse ?? []).length > 0,
      isShallow: false,
    };
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
    const { directories, ledger, onReport, platform } = this.#options;
    const parts = { directories, ledger, onReport, jobUser: platform.jobUser };
    this.#deleteLater(await removeWorkspace(entry, parts, isQuiet));
  }

  async #createOverlay(mirror: Mirror, commit: CommitId, plan: WorkspacePlan, choice: KindChoice) {
    const { templates, admission } = this.#options;
    for (let tries = 1; ; tries++) {
      const template = await templates.get(mirror, commit);
      const layers = template.layers.map((layer) => join(layer, ".."));
      const entry = await this.#enter(plan, mirror, { kind: "overlay", layers });
      try {
        await admission.admit("a workspace", OVERLAY_NEED, () =>
          makeOverlay(this.#checkoutPlan(entry, mirror, commit, plan), template),
        );
        return this.#open(entry, mirror, commit, { plan, reason: choice.reason });
      } catch (error) {
        await this.removeEntry(entry, true);
        // A sweep may have taken the template between our look and our entry in the ledger.
        if (templates.find(mirror, commit) !== undefined || tries >= TRIES_MAX) throw error;
      }
    }
  }

  async #createClone(mirror: Mirror, commit: CommitId, plan: WorkspacePlan, choice: KindChoice) {
    const { admission, locks, limits } = this.#options;
    const need = await measureTree(mirror.gitDir, commit, limits);
    const entry = await this.#enter(plan, mirror, { kind: "clone" });
    try {
      await admission.admit(`a workspace of ${need.files} files`, need, () =>
        makeClone(this.#checkoutPlan(entry, mirror, commit, plan), mirror, locks),
      );
      return this.#open(entry, mirror, commit, { plan, reason: choice.reason });
    } catch (error) {
      await this.removeEntry(entry, true);
      throw error;
    }
  }

  /** Before anything is made. A name that is taken is drawn again. */
  async #enter(
    { name, owner, branch }: WorkspacePlan,
    { remote }: Mirror,
    { kind, layers }: Pick<LedgerEntry, "kind" | "layers">,
  ): Promise<LedgerEntry> {
    const { ledger, directories } = this.#options;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const id = drawWorkspaceId(name);
      const entry: LedgerEntry = {
        ...owner,
        ...{ id, kind, branch, layers },
        path: join(directories.workspaces, id),
        repository: remote.text,
        process: thisProcess(),
        createdAt: new Date().toISOString(),
      };
      if (await ledger.add(entry)) return entry;
    }
    throw new Error(`no free workspace name for '${name}' in ${TRIES_MAX} tries`);
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

  #open(
    entry: LedgerEntry,
    mirror: Mirror,
    base: CommitId,
    { plan, reason }: { plan: WorkspacePlan; reason: string },
  ): Workspace {
    const { directories, locks, platform } = this.#options;
    const temporary = temporaryOf(partsOf(directories, entry.id));
    const workspace = entry.path;
    const sandbox = { workspace, temporary, data: directories.data, hasNetwork: false };
    const place: JobPlace = {
      ...{ workspace, temporary, user: platform.jobUser },
      sandbox: platform.sandbox.isPossible ? sandbox : undefined,
    };
    const results = new ResultRepository({ directories, locks }, entry.owner, mirror);
    return new Workspace({
      ...{ entry, reason, base, remote: mirror.remote, place, directories },
      identity: plan.identity ?? DEFAULT_IDENTITY,
      results: async () => results,
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

function requireBranch(branch: string | undefined): void {
  if (branch === undefined) return;
  const isBranch = isRefName(branch) && !branch.startsWith("refs/") && branch !== "HEAD";
  if (isBranch) return;
  throw new WorkspaceError("invalid-request", `not a valid branch name: '${branch.slice(0, 80)}'`);
}
