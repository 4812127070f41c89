// Repositories that are the caller's own, a developer's checkout say: asked, and changed, without a workspace.
import type { Identity } from "../checkout/lay-out-repository.ts";
import { GitError } from "../command/git-error.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { type FileWish, readFileOf } from "../mirror/read-file.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { type Integration, type IntegrationPlan, requirePlan } from "../result/merge-in-order.ts";
import type { Published } from "../result/publish.ts";
import { type ResultChange, readChanges } from "../result/read-changes.ts";
import { requireResultRef } from "../result/result-ref.ts";
import { type RunRef, readRefsOf, removeRefsOf, runsIn } from "../result/run-refs.ts";
import { requireBranch } from "../workspace/workspace-request.ts";
import {
  type CallersRepository,
  directoryAt,
  findRepository,
  repositoryOptions,
} from "../worktree/find-repository.ts";
import { resolveBase } from "../worktree/resolve-commit.ts";
import { WorktreeError } from "../worktree/worktree-error.ts";
import { holdLocal, recordLocally, requireLocalCommit } from "./hold-local.ts";
import { integrateLocally } from "./integrate-locally.ts";
import { type LocalPublication, publishLocally } from "./publish-locally.ts";
import { snapshotOf } from "./snapshot.ts";

export interface LocalQuestion {
  /** Any path in the checkout. */
  readonly checkout: string;
  /** The developer's own list of what is ignored everywhere; without it, only the repository's lists count. */
  readonly excludesFile?: string | undefined;
  readonly runId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LocalState {
  readonly commit: CommitId;
  /** Whether the checkout holds something that is not committed: tracked or untracked, not ignored. */
  readonly isDirty: boolean;
  /** What is checked out there; undefined when HEAD is detached. */
  readonly branch: string | undefined;
}

export interface SnapshotRequest extends LocalQuestion {
  /** Below `refs/croft/`; keeps it from being collected. */
  readonly ref?: string | undefined;
  readonly message?: string | undefined;
  readonly identity?: Identity | undefined;
}

const STATUS_BYTES_MAX = 64 * 1024;

export class LocalRepositories {
  readonly #directories: GitDirectories;
  readonly #locks: RepositoryLocks;

  constructor({ directories, locks }: { directories: GitDirectories; locks: RepositoryLocks }) {
    this.#directories = directories;
    this.#locks = locks;
  }

  /** A branch, tag or commit id of it; HEAD of the checkout without one. */
  async resolve(question: LocalQuestion & { readonly ref?: string | undefined }) {
    const { ref = "HEAD", signal } = question;
    const repository = await findRepository(question.checkout, signal);
    const here = { ...repositoryOptions(repository), gitDir: repository.gitDir, signal };
    const commit = await resolveBase(ref, here);
    const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
    const head = await runGit(args, { ...here, answers: [1] });
    const branch = head.stdout.toString("utf8").trim();
    const isDirty = await this.#isDirty(question, repository);
    return { commit, isDirty, branch: branch === "" ? undefined : branch } satisfies LocalState;
  }

  /** What the checkout holds now, as a commit on its HEAD. Index, branch and files stay as they are. */
  async snapshot(request: SnapshotRequest): Promise<CommitId> {
    const { ref, runId, signal } = request;
    if (ref !== undefined) requireResultRef(ref);
    const repository = await findRepository(request.checkout, signal);
    const here = await checkoutAt(request, repository);
    if (here === undefined) {
      const message = `'${request.checkout}' is no checkout: it has no files`;
      throw new WorktreeError("not-a-repository", message, { path: request.checkout });
    }
    const commit = await snapshotOf(this.#directories, repository, here, request);
    if (ref !== undefined) {
      await recordLocally(this.#locks, repository, { ref, commit, runId, signal });
    }
    return commit;
  }

  async readFile(question: LocalQuestion & FileWish): Promise<Buffer | undefined> {
    const repository = await findRepository(question.checkout, question.signal);
    const options = { ...repositoryOptions(repository), signal: question.signal };
    await requireLocalCommit(question.commit, options);
    return await readFileOf(question, options);
  }

  /** Keeps a commit from being collected. */
  async record({
    checkout,
    ...result
  }: LocalQuestion & { readonly ref: string; readonly commit: CommitId }): Promise<void> {
    const repository = await findRepository(checkout, result.signal);
    await recordLocally(this.#locks, repository, result);
  }

  /** Which files differ between two commits. */
  async changes(
    question: LocalQuestion & { readonly from: CommitId; readonly to: CommitId },
  ): Promise<ResultChange[]> {
    const { checkout, signal } = question;
    const repository = await findRepository(checkout, signal);
    return await readChanges({ ...repositoryOptions(repository), signal }, question);
  }

  /** As of results: merges in order, tells what conflicts, records the outcome under `ref`, touches no branch. */
  async integrate(
    request: LocalQuestion & IntegrationPlan & { readonly ref: string },
  ): Promise<Integration> {
    const { base, commits, ref, runId, signal } = request;
    requireResultRef(ref);
    requirePlan(request);
    const repository = await findRepository(request.checkout, signal);
    const options = { ...repositoryOptions(repository), signal };
    for (const commit of [base, ...commits.map((one) => one.commit)]) {
      await requireLocalCommit(commit, options);
    }
    const made = await integrateLocally(this.#directories, repository, request);
    await recordLocally(this.#locks, repository, { ref, commit: made.commit, runId, signal });
    return made;
  }

  /** A branch that is checked out moves with its files, unless something in them is not committed, or it must not. */
  async publish(request: LocalQuestion & LocalPublication): Promise<Published> {
    const { runId, signal } = request;
    requireBranch(request.branch);
    const repository = await findRepository(request.checkout, signal);
    const holding = { purpose: "publish", runId, signal };
    return await holdLocal(this.#locks, repository, holding, (held) =>
      publishLocally(this.#directories, repository, request, held),
    );
  }

  async readRunRefs({ checkout, signal }: LocalQuestion, run: string): Promise<RunRef[]> {
    const repository = await findRepository(checkout, signal);
    return await readRefsOf(run, { ...repositoryOptions(repository), signal });
  }

  /** Runs that have recorded something here, of whatever data directory. */
  async listRuns({ checkout, signal }: LocalQuestion): Promise<string[]> {
    const repository = await findRepository(checkout, signal);
    return await runsIn({ ...repositoryOptions(repository), signal });
  }

  /** Returns how many there were. */
  async removeRunRefs({ checkout, signal }: LocalQuestion, run: string): Promise<number> {
    const repository = await findRepository(checkout, signal);
    const holding = { purpose: "forget a run", runId: run, signal };
    return await holdLocal(this.#locks, repository, holding, (held) => removeRefsOf(run, held));
  }

  async #isDirty(question: LocalQuestion, repository: CallersRepository): Promise<boolean> {
    const here = await checkoutAt(question, repository);
    if (here === undefined) return false;
    const args = ["status", "--porcelain", "-z", "--untracked-files=normal"];
    const variables = { GIT_OPTIONAL_LOCKS: "0" }; // looks at the index, and leaves it alone
    try {
      const looking = { ...here, variables, maxOutputBytes: STATUS_BYTES_MAX };
      return (await runGit(args, looking)).stdout.length > 0;
    } catch (error) {
      if (error instanceof GitError && error.code === "too-large") return true;
      throw error;
    }
  }
}

/** Options of a git that works in the checkout; undefined where there is none: in a bare repository. */
async function checkoutAt(
  { checkout, excludesFile, signal }: LocalQuestion,
  { gitDir, owner }: CallersRepository,
): Promise<RunGitOptions | undefined> {
  const cwd = await directoryAt(checkout);
  const config = [["safe.bareRepository", "all"]] as const; // as when it was found
  const asking = { cwd, config, ...owner, signal };
  if ((await gitText(["rev-parse", "--is-inside-work-tree"], asking)) !== "true") return undefined;
  const { stdout } = await runGit(["rev-parse", "--show-toplevel"], asking);
  const top = stdout.toString("utf8").replace(/\n$/, "");
  const ignored = excludesFile === undefined ? [] : [["core.excludesFile", excludesFile] as const];
  return { gitDir, workTree: top, cwd: top, config: ignored, ...owner, signal };
}
