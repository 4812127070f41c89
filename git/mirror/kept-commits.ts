// Commits of a mirror that must not be lost, though no branch leads to them any more: each has a ref of ours.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { GitError } from "../command/git-error.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { isRefName } from "../remote/ref-name.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { hasCommit } from "./is-reachable.ts";

export interface KeptCommit {
  readonly name: string;
  readonly commit: CommitId;
}

/** No fetch touches what is below it: those move `refs/remote` only. */
export const KEPT = "refs/croft/kept/";

/** Where mirrors lie. */
interface MirrorPaths {
  pathOf(remote: RemoteUrl): string;
}

/** It knows nothing of why: whoever keeps a commit remembers to release it. */
export class KeptCommits {
  readonly #mirrors: MirrorPaths;
  readonly #locks: RepositoryLocks;

  constructor(mirrors: MirrorPaths, locks: RepositoryLocks) {
    this.#mirrors = mirrors;
    this.#locks = locks;
  }

  /** A name that is taken gets this commit instead. On the disk when it resolves. */
  async keep(remote: RemoteUrl, name: string, commit: CommitId): Promise<void> {
    const gitDir = this.#mirrors.pathOf(remote);
    requireName(name);
    if (!(await hasCommit({ gitDir }, commit))) throw absent(commit);
    await this.#change(gitDir, "keep a commit", async (options) => {
      await runGit(["update-ref", "--no-deref", `${KEPT}${name}`, commit], options);
    });
  }

  /** Returns how many of them there were. */
  async release(remote: RemoteUrl, names: readonly string[]): Promise<number> {
    const gitDir = this.#mirrors.pathOf(remote);
    if (names.length === 0 || !existsSync(gitDir)) return 0;
    const unwanted = new Set(names);
    return await this.#change(gitDir, "release commits", async (options) => {
      const kept = (await readKept(gitDir)).filter(({ name }) => unwanted.has(name));
      const input = kept.map(({ name }) => `delete ${KEPT}${name}\n`).join("");
      if (kept.length > 0) await runGit(["update-ref", "--stdin"], { ...options, input });
      return kept.length;
    });
  }

  async list(remote: RemoteUrl): Promise<KeptCommit[]> {
    const gitDir = this.#mirrors.pathOf(remote);
    return existsSync(gitDir) ? await readKept(gitDir) : [];
  }

  async #change<T>(
    gitDir: string,
    purpose: string,
    work: (options: RunGitOptions) => Promise<T>,
  ): Promise<T> {
    return await this.#locks.hold(gitDir, { purpose }, async ({ descriptor }) => {
      removeStaleLocks(gitDir);
      return await work({ gitDir, lockDescriptors: [descriptor] });
    });
  }
}

export async function readKept(gitDir: string): Promise<KeptCommit[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", KEPT];
  const { stdout, exitCode } = await runGit(args, { gitDir, answers: [128] });
  if (exitCode !== 0) return []; // damaged beyond that
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ commit: commitId(line.slice(0, 40)), name: line.slice(41 + KEPT.length) }));
}

/**
 * Into a mirror that is being made in place of another: what it has complete, by what it fetched or what was sound of
 * the old one. `fetchOne` asks the remote for one that it lacks.
 */
export async function moveKept(
  { from, to, held }: { from: string; to: string; held: readonly number[] },
  fetchOne: (commit: CommitId) => Promise<void>,
): Promise<void> {
  if (!existsSync(from)) return;
  const options = { gitDir: to, lockDescriptors: held };
  for (const { name, commit } of await readKept(from)) {
    if (!(await hasCommit({ gitDir: to }, commit))) await fetchOne(commit);
    if (!(await hasCommit({ gitDir: to }, commit))) continue;
    await runGit(["update-ref", "--no-deref", `${KEPT}${name}`, commit], options);
  }
}

/** Refs of these names are written under the lock that is held now, and so is the file of all packed ones. */
function removeStaleLocks(gitDir: string): void {
  const directory = join(gitDir, KEPT);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const locks = names.filter((name) => name.endsWith(".lock")).map((name) => join(directory, name));
  for (const path of [
    ...locks,
    join(gitDir, "packed-refs.lock"),
    join(gitDir, "packed-refs.new"),
  ]) {
    rmSync(path, { force: true });
  }
}

function requireName(name: string): void {
  if (isRefName(name) && !name.includes("/") && name.length <= 200) return;
  throw new TypeError(`not a name for a kept commit: '${name.slice(0, 80)}'`);
}

function absent(commit: CommitId): GitError {
  return new GitError("invalid-ref", `the mirror has no commit ${commit}`, {
    command: "update-ref",
  });
}
