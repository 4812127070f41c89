// Makes one workspace: into the ledger first, then the files, then whatever was asked for besides; all or nothing.
import { join } from "node:path";
import { DEFAULT_IDENTITY, packBytes } from "../checkout/lay-out-repository.ts";
import type { TreeLimits, TreeSize } from "../checkout/measure-tree.ts";
import { TreeSizes } from "../checkout/tree-sizes.ts";
import type { DiskAdmission } from "../disk/disk-admission.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import { MountError } from "../disk/mount-overlay.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror, Mirrors } from "../mirror/mirror.ts";
import type { Platform } from "../platform/detect-platform.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { ResultRepository } from "../result/result-repository.ts";
import type { Templates } from "../template/templates.ts";
import { advanceCheckout, planAdvance } from "./advance-checkout.ts";
import { chooseKind, type KindChoice } from "./choose-kind.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { enterLedger } from "./enter-ledger.ts";
import { jobPlace } from "./job-place.ts";
import type { LedgerEntry, WorkspaceLedger } from "./ledger.ts";
import { type CheckoutPlan, makeClone, makeOverlay, makeShallowClone } from "./make-checkout.ts";
import { measureAdvance } from "./measure-advance.ts";
import { partsOf } from "./remove-workspace.ts";
import { untilAborted } from "./until-aborted.ts";
import { Workspace } from "./workspace.ts";
import type { WorkspacePlan } from "./workspace-request.ts";

export interface MakerParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly mirrors: Mirrors;
  readonly templates: Templates;
  readonly ledger: WorkspaceLedger;
  readonly platform: Platform;
  readonly admission: DiskAdmission;
  readonly limits?: TreeLimits | undefined;
  readonly removeEntry: (entry: LedgerEntry, isQuiet: boolean) => Promise<void>;
}

/** Where a workspace begins. */
export interface Beginning {
  readonly mirror: Mirror;
  readonly commit: CommitId;
  /** When it is a result: the repository that has it, a commit of the mirror that it stands on, and the packs above that. */
  readonly result?: ResultSource | undefined;
}

export interface ResultSource {
  readonly gitDir: string;
  readonly base: CommitId;
  readonly packs: string;
}

/** The one commit that was fetched while the mirror is still being made. */
export interface ShallowBeginning {
  readonly gitDir: string;
  readonly commit: CommitId;
  readonly mirror: Mirror;
  readonly whenMirrored: () => Promise<unknown>;
}

interface Opening {
  readonly plan: WorkspacePlan;
  readonly reason: string;
  readonly whenMirrored?: (() => Promise<unknown>) | undefined;
}

/** An overlay needs next to nothing as long as nobody writes. */
const OVERLAY_NEED = { bytes: 1024 * 1024, files: 20 };
const TRIES_MAX = 10;

export class WorkspaceMaker {
  readonly #parts: MakerParts;
  readonly #sizes: TreeSizes;

  constructor(parts: MakerParts) {
    this.#parts = parts;
    this.#sizes = new TreeSizes(parts.limits);
  }

  async make(beginning: Beginning, plan: WorkspacePlan): Promise<Workspace> {
    const isSparse = (plan.sparse ?? []).length > 0;
    const wish = { kind: plan.kind, isSparse, isShallow: false };
    const choice = chooseKind(wish, this.#parts.platform);
    return choice.kind === "overlay"
      ? await this.#makeOverlay(beginning, plan, choice)
      : await this.#makeClone(beginning, plan, choice);
  }

  async makeShallow(shallow: ShallowBeginning, plan: WorkspacePlan): Promise<Workspace> {
    const { gitDir, commit, mirror, whenMirrored } = shallow;
    const { platform } = this.#parts;
    const { reason } = chooseKind({ kind: plan.kind, isSparse: false, isShallow: true }, platform);
    const opening = { plan, reason, whenMirrored };
    return await this.#makeCopy({ source: gitDir, mirror, commit }, opening, (to) =>
      makeShallowClone(to, gitDir),
    );
  }

  async #makeOverlay(beginning: Beginning, plan: WorkspacePlan, choice: KindChoice) {
    const { templates } = this.#parts;
    const { mirror, commit, result } = beginning;
    for (let tries = 1; ; tries++) {
      const wanted = templates.get(mirror, result?.base ?? commit);
      const template = await untilAborted(wanted, plan.signal);
      const layers = template.layers.map((layer) => join(layer, ".."));
      const entry = await this.#enter(plan, mirror, { kind: "overlay", layers });
      const checkout = this.#checkoutPlan(entry, beginning, plan);
      try {
        await this.#makeLayers(beginning, checkout, () => makeOverlay(checkout, template));
        await this.#complete(checkout, result?.gitDir ?? mirror.gitDir, plan);
        plan.signal?.throwIfAborted();
        return this.#open(checkout, mirror, { plan, reason: choice.reason });
      } catch (error) {
        await this.#parts.removeEntry(entry, true);
        // A sweep may have taken the template, or put it aside for a moment, between our look and our entry in the ledger.
        if (!(error instanceof MountError) || tries >= TRIES_MAX) throw error;
      }
    }
  }

  /** The template's files; of a result, then those that differ, in the workspace's own layer. */
  async #makeLayers(
    { result, commit }: Beginning,
    { path, owner, signal }: CheckoutPlan,
    mount: () => Promise<void>,
  ): Promise<void> {
    const { admission } = this.#parts;
    if (result === undefined) return await admission.admit("a workspace", OVERLAY_NEED, mount);
    const { gitDir, base } = result;
    const size = await this.#sizes.measure(gitDir, commit);
    const advance = await planAdvance(gitDir, { from: base, to: commit }, size.files);
    const need = await measureAdvance(gitDir, advance, size);
    await admission.admit("a workspace", sumOf(OVERLAY_NEED, need), async () => {
      await mount();
      await advanceCheckout({ path, owner, signal }, advance);
    });
  }

  async #makeClone(beginning: Beginning, plan: WorkspacePlan, choice: KindChoice) {
    const { mirror, commit, result } = beginning;
    const source = result?.gitDir ?? mirror.gitDir;
    const opening = { plan, reason: choice.reason };
    return await this.#makeCopy({ source, mirror, commit, result }, opening, (to) =>
      makeClone(to, mirror, this.#parts.locks),
    );
  }

  async #makeCopy(
    { source, ...beginning }: Beginning & { readonly source: string },
    opening: Opening,
    make: (plan: CheckoutPlan) => Promise<void>,
  ): Promise<Workspace> {
    const { admission, platform } = this.#parts;
    const { mirror, commit } = beginning;
    const { plan } = opening;
    const { files, bytes } = await this.#sizes.measure(source, commit);
    const packs = join(beginning.result === undefined ? source : mirror.gitDir, "objects/pack");
    const need = { files, bytes: bytes + (platform.jobUser === undefined ? packBytes(packs) : 0) };
    const entry = await this.#enter(plan, mirror, { kind: "clone" });
    const checkout = this.#checkoutPlan(entry, beginning, plan);
    try {
      await admission.admit(`a workspace of ${need.files} files`, need, () => make(checkout));
      await this.#complete(checkout, source, plan);
      plan.signal?.throwIfAborted();
      return this.#open(checkout, mirror, opening);
    } catch (error) {
      await this.#parts.removeEntry(entry, true);
      throw error;
    }
  }

  /** Before anything is made. Earlier attempts of the job are over from now on. */
  async #enter({ name, owner, branch }: WorkspacePlan, mirror: Mirror, kind: EntryKind) {
    const { ledger, directories, locks } = this.#parts;
    await new ResultRepository({ directories, locks }, owner.owner, mirror).begin(owner);
    const what = { ...owner, ...kind, branch, repository: mirror.remote.text };
    return await enterLedger(ledger, directories, name, what);
  }

  #checkoutPlan(
    entry: LedgerEntry,
    { mirror: { remote }, commit, result }: Beginning,
    plan: WorkspacePlan,
  ): CheckoutPlan {
    const { directories, platform } = this.#parts;
    return {
      entry,
      path: entry.path,
      parts: partsOf(directories, entry.id),
      head: { commit, branch: plan.branch },
      remote,
      identity: plan.identity ?? DEFAULT_IDENTITY,
      owner: platform.jobUser,
      sparse: plan.sparse ?? [],
      packs: result?.packs,
      signal: plan.signal,
    };
  }

  async #complete(checkout: CheckoutPlan, gitDir: string, plan: WorkspacePlan) {
    const { mirrors, locks, admission, limits } = this.#parts;
    const { path, owner, parts, signal, remote, head } = checkout;
    const place = { path, owner, parts, signal, mirrors, locks, admission, limits };
    await completeCheckout(place, { gitDir, remote }, head.commit, plan);
  }

  #open({ entry, head }: CheckoutPlan, mirror: Mirror, opening: Opening): Workspace {
    const { directories, locks, platform } = this.#parts;
    const { plan, reason, whenMirrored } = opening;
    const repository = new ResultRepository({ directories, locks }, entry.owner, mirror);
    const open = async () => {
      await whenMirrored?.(); // results borrow from the mirror
      return repository;
    };
    return new Workspace({
      ...{ entry, reason, base: head.commit, directories, isOpen: plan.sandbox === "off" },
      mergeBase: plan.mergeBase,
      place: jobPlace(entry, { directories, platform, user: platform.jobUser }),
      identity: plan.identity ?? DEFAULT_IDENTITY,
      results: { kind: "results", open, remote: mirror.remote },
      remove: (isQuiet) => this.#parts.removeEntry(entry, isQuiet),
    });
  }
}

type EntryKind = Pick<LedgerEntry, "kind" | "layers">;

function sumOf(left: TreeSize, right: TreeSize): TreeSize {
  return { files: left.files + right.files, bytes: left.bytes + right.bytes };
}
