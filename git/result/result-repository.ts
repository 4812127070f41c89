// One repository an owner and remote for what jobs made: nothing of it ever enters the mirror that others share.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { runGit } from "../command/run-git.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { removeStaleFiles } from "../mirror/remove-stale-files.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";

/** Which attempt of which job speaks. Without a job there is nothing to be late for. */
export interface Attempt {
  readonly jobId?: string | undefined;
  readonly attempt?: number | undefined;
}

export class ResultRepository {
  readonly gitDir: string;
  readonly mirror: Mirror;
  readonly #directories: GitDirectories;
  readonly #locks: RepositoryLocks;

  constructor(
    { directories, locks }: { directories: GitDirectories; locks: RepositoryLocks },
    owner: string,
    mirror: Mirror,
  ) {
    this.gitDir = join(directories.results, ownerDirectory(owner), basename(mirror.gitDir));
    this.mirror = mirror;
    this.#directories = directories;
    this.#locks = locks;
  }

  /** For kept work of failed jobs. */
  get keptDirectory(): string {
    return join(dirname(this.gitDir), "kept");
  }

  /** Held while the repository changes; what a killed git left is removed first. */
  async hold<T>(purpose: string, work: (descriptor: number) => Promise<T>): Promise<T> {
    await this.#make();
    return await this.#locks.hold(this.gitDir, { purpose }, async ({ descriptor }) => {
      removeStaleFiles(this.gitDir);
      return await work(descriptor);
    });
  }

  /** Called when an attempt begins. The first has nobody to shut out: for it a look is enough, without a lock. */
  async begin(attempt: Attempt): Promise<void> {
    this.requireCurrent(attempt);
    const { jobId = "", attempt: number = 1 } = attempt;
    if (number > 1 && this.#latestOf(jobId) !== number) await this.fence(attempt);
  }

  /** From now on earlier attempts of this job are refused. */
  async fence(attempt: Attempt): Promise<void> {
    await this.hold("fence a job", async () => {
      this.requireCurrent(attempt);
      if (attempt.jobId === undefined || attempt.attempt === undefined) return;
      const file = this.#fenceOf(attempt.jobId);
      await makeDirectories(dirname(file));
      writeFileSync(`${file}.draft`, String(attempt.attempt));
      renameSync(`${file}.draft`, file);
    });
  }

  /** Only under the lock, or as a first look. */
  requireCurrent({ jobId, attempt }: Attempt): void {
    if (jobId === undefined || attempt === undefined) return;
    const latest = this.#latestOf(jobId);
    if (attempt >= latest) return;
    throw new WorkspaceError(
      "stale-attempt",
      `attempt ${attempt} of job '${jobId}' is over: attempt ${latest} has begun`,
    );
  }

  /** Its own work, or where that began; not whatever the mirror has. */
  async requireRecorded(commit: CommitId, base?: CommitId): Promise<void> {
    if (commit === base || (await this.hasRecorded(commit))) return;
    throw new WorkspaceError("invalid-request", `no result leads to commit ${commit}`);
  }

  /** Whether some result is this commit, or leads to it. */
  async hasRecorded(commit: CommitId): Promise<boolean> {
    if (!existsSync(this.gitDir)) return false;
    const args = ["for-each-ref", "--count=1", "--contains", commit, "refs/croft"];
    const { stdout, exitCode } = await runGit(args, { gitDir: this.gitDir, answers: [128, 129] });
    return exitCode === 0 && stdout.length > 0;
  }

  #latestOf(jobId: string): number {
    const file = this.#fenceOf(jobId);
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  }

  #fenceOf(jobId: string): string {
    const name = createHash("sha256").update(jobId).digest("hex").slice(0, 32);
    return join(this.gitDir, "croft-fences", name);
  }

  /** Borrows from the mirror, which keeps every object while results exist. */
  async #make(): Promise<void> {
    if (existsSync(this.gitDir)) return;
    const staged = stagingPlace(this.#directories, "results");
    try {
      await runGit(["init", "--quiet", "--bare", staged]);
      await makeDirectories(join(staged, "objects/info"));
      // Relative, so that the data directory can be moved.
      const borrowed = relative(join(this.gitDir, "objects"), join(this.mirror.gitDir, "objects"));
      writeFileSync(join(staged, "objects/info/alternates"), `${borrowed}\n`);
      await makeDirectories(dirname(this.gitDir), 0o700);
      await this.#moveIn(staged);
    } finally {
      await removeTree(staged);
    }
  }

  async #moveIn(staged: string): Promise<void> {
    try {
      renameSync(staged, this.gitDir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error; // another was first
    }
  }
}

function ownerDirectory(owner: string): string {
  const hash = createHash("sha256").update(owner).digest("hex").slice(0, 16);
  const slug = owner
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${hash}-${slug}`;
}
