// Linked worktrees in repositories that the caller owns: a developer's checkout, say. No boundary between jobs.
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree } from "../disk/git-directories.ts";
import type { LockRequest, RepositoryLocks } from "../lock/repository-lock.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { enterLedger } from "../workspace/enter-ledger.ts";
import type { LedgerEntry, WorkspaceLedger, WorkspaceOwner } from "../workspace/ledger.ts";
import {
  checkOutWorktree,
  makeBranch,
  registerWorktree,
  tryAgain,
  type WorktreePlan,
} from "./add-worktree.ts";
import { type BranchClaim, requireClaim, takeBack } from "./branch-claim.ts";
import { requireFree } from "./branch-holder.ts";
import { clearCheckout, clearWorktree, type KeptThing } from "./clear-worktree.ts";
import {
  type CallersRepository,
  findRepository,
  reopenRepository,
  repositoryOptions,
} from "./find-repository.ts";
import { type Freed, freeDeadWorktrees } from "./free-dead-worktrees.ts";
import { giveLockFile } from "./give-lock-file.ts";
import { registrationPath } from "./registration.ts";
import { checkBranchName, resolveBase, resolveCommit } from "./resolve-commit.ts";
import { WorktreeError } from "./worktree-error.ts";

export interface WorktreeParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly ledger: WorkspaceLedger;
  /** Told of leftovers that another call came across and could not remove; that call goes on. */
  readonly onKept?: ((kept: KeptThing) => void) | undefined;
}

export interface WorktreeRequest {
  /** Any path in it. */
  readonly repository: string;
  /** What the id begins with. */
  readonly name: string;
  /**
   * Made if there is none. One that exists and is checked out nowhere is used as it stands; with a `base` that is another
   * commit this is an error, because one of the two would be lost. None: a detached HEAD.
   */
  readonly branch?: string | undefined;
  /** Of a branch that may have to be made again: see `branch-claim.ts`. */
  readonly claim?: BranchClaim | undefined;
  /** A ref or commit id; HEAD of the checkout that `repository` lies in. */
  readonly base?: string | undefined;
  readonly owner: WorkspaceOwner;
  readonly signal?: AbortSignal | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

export interface Worktree {
  readonly id: string;
  readonly path: string;
  readonly branch: string | undefined;
  readonly commit: CommitId;
  readonly commonDir: string;
  /** Its row in the ledger, to remove it by. */
  readonly entry: LedgerEntry;
}

export interface Removal {
  readonly entry: LedgerEntry;
  /** False when the checkout was kept, with its row: somebody else has taken hold of it. */
  readonly isGone: boolean;
  readonly kept: readonly KeptThing[];
}

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

const DRAWS_MAX = 10;

export class Worktrees {
  readonly #parts: WorktreeParts;

  constructor(parts: WorktreeParts) {
    this.#parts = parts;
  }

  /** All or nothing; killed anywhere, the next one on the same repository puts things in order. */
  async create(request: WorktreeRequest): Promise<Worktree> {
    const { branch, base, claim, signal } = request;
    if (branch !== undefined) checkBranchName(branch);
    if (claim !== undefined) requireClaim(claim);
    const repository = await findRepository(request.repository, signal);
    const here = { ...repositoryOptions(repository), gitDir: repository.gitDir, signal };
    const wanted = base === undefined ? undefined : await resolveBase(base, here);
    const start = { wanted, head: wanted ?? (await resolveCommit("HEAD", here)) };
    const entry = await this.#enter(request, repository);
    const freed: Freed[] = [];
    let isBegun = false;
    try {
      const { plan, isNewBranch } = await this.#hold(repository, request, "add", (held) => {
        isBegun = true;
        return this.#register({ entry, repository, claim, signal }, start, { ...held, freed });
      });
      await checkOutWorktree(plan);
      if (isNewBranch) {
        await this.#hold(repository, request, "branch", (held) =>
          makeBranch(plan, held.descriptor),
        );
      }
      const { id, path } = entry;
      return { id, path, branch, commit: plan.commit, commonDir: repository.commonDir, entry };
    } catch (error) {
      if (isBegun) await this.#undo(entry, error);
      else await this.#parts.ledger.remove(entry.id);
      throw asDiskError(error);
    } finally {
      await this.#forget(freed);
    }
  }

  /** Also when its directory, its registration or the whole repository is gone or half made. The branch stays. */
  async remove(entry: LedgerEntry, patience: Patience = {}): Promise<Removal> {
    const { directories, ledger } = this.#parts;
    const repository = await reopenRepository(entry.repository);
    const clearing =
      repository === undefined
        ? await clearCheckout(entry, directories)
        : await this.#hold(repository, { ...patience, owner: entry }, "remove", (held) =>
            clearWorktree(entry, { directories, repository, ...held }),
          );
    const { doomed, kept, isGone } = clearing;
    for (const path of doomed) await removeTree(path);
    if (isGone) await ledger.remove(entry.id);
    return { entry, isGone, kept };
  }

  /** Our own worktrees in this repository in which nobody works any more; never anybody else's. */
  async removeStale(commonDir: string, patience: Patience = {}): Promise<Removal[]> {
    const { ledger } = this.#parts;
    const path = existsSync(commonDir) ? await realpath(commonDir) : commonDir;
    const removals: Removal[] = [];
    for (const entry of await ledger.list()) {
      if (entry.kind !== "worktree" || entry.repository !== path) continue;
      if (!(await ledger.isLive(entry))) removals.push(await this.remove(entry, patience));
    }
    return removals;
  }

  /** The row comes before the thing. */
  async #enter(request: WorktreeRequest, { commonDir }: CallersRepository): Promise<LedgerEntry> {
    const { directories, ledger } = this.#parts;
    const { branch, owner } = request;
    const what = { ...owner, kind: "worktree", repository: commonDir, branch } as const;
    for (let draw = 0; draw < DRAWS_MAX; draw++) {
      const entry = await enterLedger(ledger, directories, request.name, what);
      if (!existsSync(registrationPath(entry))) return entry;
      await ledger.remove(entry.id); // in this repository another data directory has used the name
    }
    throw new Error(`no free name begins with '${request.name}' in '${commonDir}'`);
  }

  async #register(
    { entry, repository, claim, signal }: Omit<WorktreePlan, "commit">,
    { wanted, head }: { wanted: CommitId | undefined; head: CommitId | undefined },
    { descriptor, heldSinceMs, freed }: Held & { readonly freed: Freed[] },
  ): Promise<{ plan: WorktreePlan; isNewBranch: boolean }> {
    const { directories } = this.#parts;
    const { branch } = entry;
    const clearing = { directories, repository, descriptor, heldSinceMs };
    const options = { ...repositoryOptions(repository, descriptor), signal };
    freed.push(...(await freeDeadWorktrees(entry, this.#parts, clearing)));
    if (branch !== undefined && claim !== undefined) {
      await tryAgain(() => requireFree(branch, repository.commonDir, options));
      await takeBack(branch, claim, options);
    }
    const tip =
      branch === undefined ? undefined : await this.#tipOf(branch, wanted, repository, options);
    const commit = tip ?? head;
    if (commit === undefined) {
      throw new WorktreeError("no-commit", "the repository has no commit yet: make one first");
    }
    const plan = { entry, repository, commit, claim, signal };
    const registered = await tryAgain(
      () => registerWorktree(plan, descriptor),
      async () => {
        const { doomed } = await clearWorktree(entry, clearing);
        freed.push({ doomed, rowId: undefined });
      },
    );
    if (branch !== undefined && registered !== (wanted ?? registered)) {
      throw branchExists(branch, registered, wanted);
    }
    const isNewBranch = branch !== undefined && tip === undefined;
    return { plan: { ...plan, commit: registered }, isNewBranch };
  }

  /** Of a branch that exists and may be used; undefined when it is to be made. */
  async #tipOf(
    branch: string,
    wanted: CommitId | undefined,
    { commonDir }: CallersRepository,
    options: ReturnType<typeof repositoryOptions>,
  ): Promise<CommitId | undefined> {
    await tryAgain(() => requireFree(branch, commonDir, options));
    const tip = await resolveCommit(`refs/heads/${branch}`, options);
    if (tip === undefined || wanted === undefined || tip === wanted) return tip;
    throw branchExists(branch, tip, wanted);
  }

  /** Without the caller's signal: what was begun is taken back even if nobody waits for it. */
  async #undo(entry: LedgerEntry, error: unknown): Promise<void> {
    try {
      await this.remove(entry);
    } catch (failure) {
      const message = `the worktree '${entry.id}' failed, and what was made of it could not be removed`;
      throw new AggregateError([error, failure], message, { cause: error });
    }
  }

  async #hold<T>(
    repository: CallersRepository,
    { signal, lockTimeoutMs, owner }: Patience & { readonly owner: WorkspaceOwner },
    what: string,
    work: (held: Held) => Promise<T>,
  ): Promise<T> {
    const request: LockRequest = {
      purpose: `worktree ${what}`,
      runId: owner.runId,
      timeoutMs: lockTimeoutMs,
      signal,
    };
    giveLockFile(repository);
    return await this.#parts.locks.holdForeign(repository.commonDir, request, ({ descriptor }) =>
      work({ descriptor, heldSinceMs: Date.now() }),
    );
  }

  /** Of others that were dead, so no reason to fail this one: their rows stay, and the next one tries again. */
  async #forget(freed: readonly Freed[]): Promise<void> {
    const { ledger, onKept } = this.#parts;
    for (const { doomed, rowId } of freed) {
      try {
        for (const path of doomed) await removeTree(path);
        if (rowId !== undefined) await ledger.remove(rowId);
      } catch (error) {
        onKept?.({ path: doomed[0] ?? "", why: (error as Error).message });
      }
    }
  }
}

interface Held {
  readonly descriptor: number;
  readonly heldSinceMs: number;
}

function branchExists(branch: string, tip: CommitId, wanted: CommitId | undefined): WorktreeError {
  const message = `branch '${branch}' exists at ${tip}, not at ${wanted}: name no base, or another branch`;
  return new WorktreeError("branch-exists", message, { branch });
}
