// Merges commits one after the other into one history: what conflicts is left out and told, the rest goes on.
import { DEFAULT_IDENTITY, type Identity } from "../checkout/lay-out-repository.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { MergeAttributes } from "./merge-attributes.ts";
import { mergeCommits } from "./merge-commits.ts";

export interface Contribution {
  /** By which it is told of. */
  readonly id: string;
  readonly commit: CommitId;
  /** Of its merge commit. */
  readonly message?: string | undefined;
}

export interface IntegrationPlan {
  /** Where it begins: a commit that the caller was found to be allowed to read. */
  readonly base: CommitId;
  readonly commits: readonly Contribution[];
  readonly identity?: Identity | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface IntegrationConflict {
  readonly id: string;
  readonly files: readonly string[];
  readonly reason: string;
}

/** Every contribution is in one of the two lists. */
export interface Integration {
  readonly commit: CommitId;
  readonly integrated: readonly string[];
  readonly conflicts: readonly IntegrationConflict[];
}

const COMMITS_MAX = 1000;
const MESSAGE_LENGTH_MAX = 64 * 1024;
/** The year 2100: dates come from jobs. */
const SECONDS_MAX = 4_102_444_800;

export function requirePlan({ commits }: IntegrationPlan): void {
  const ids = new Set(commits.map(({ id }) => id));
  if (ids.size === commits.length && commits.length <= COMMITS_MAX) return;
  const what = ids.size < commits.length ? "an id is there twice" : `at most ${COMMITS_MAX}`;
  throw new WorkspaceError("invalid-request", `cannot integrate these commits: ${what}`);
}

/**
 * Merges, never trees that replace one another: of two changes that began at the same commit neither takes back the other.
 * Each becomes a merge commit, also where the branch could simply move on, so that `--first-parent` tells one line a
 * contribution, and all of them stay reachable. One that is in already counts as integrated.
 */
export async function mergeInOrder(
  options: RunGitOptions,
  place: string,
  plan: IntegrationPlan,
): Promise<Integration> {
  const attributes = new MergeAttributes(options, place);
  const integrated: string[] = [];
  const conflicts: IntegrationConflict[] = [];
  let tip = plan.base;
  for (const contribution of plan.commits) {
    const { id, commit } = contribution;
    plan.signal?.throwIfAborted();
    if (await isAncestor(options, commit, tip)) {
      integrated.push(id);
      continue;
    }
    const merge = await mergeCommits(await attributes.of(tip), tip, commit);
    if (merge.kind === "conflict") {
      conflicts.push({ id, files: merge.files, reason: merge.reason });
      continue;
    }
    tip = await commitMerge(options, { ...merge, tip }, contribution, plan.identity);
    integrated.push(id);
  }
  return { commit: tip, integrated, conflicts };
}

export async function isAncestor(
  options: RunGitOptions,
  commit: CommitId,
  of: CommitId,
): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", commit, of];
  return (await runGit(args, { ...options, answers: [1] })).exitCode === 0;
}

/** At the time of the later parent, so that the same merges always give the same commits: a second try doubles nothing. */
async function commitMerge(
  options: RunGitOptions,
  { tree, tip }: { readonly tree: string; readonly tip: CommitId },
  { id, commit, message = "" }: Contribution,
  { name, email }: Identity = DEFAULT_IDENTITY,
): Promise<CommitId> {
  const times = await gitText(["show", "-s", "--format=%ct", tip, commit], options);
  const seconds = Math.max(0, ...times.split("\n").map(Number).filter(Number.isSafeInteger));
  const date = `@${Math.min(seconds, SECONDS_MAX)} +0000`;
  const said = message.trim() === "" ? `Merge ${id}` : message;
  const made = await gitText(["commit-tree", "-p", tip, "-p", commit, "-F", "-", tree], {
    ...options,
    input: `${said.slice(0, MESSAGE_LENGTH_MAX).replaceAll("\0", " ").trimEnd()}\n`,
    variables: {
      ...options.variables,
      ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
      ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
    },
  });
  return commitId(made);
}
