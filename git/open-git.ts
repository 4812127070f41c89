// Puts the parts of this package together on one data directory.
import type { TreeLimits } from "./checkout/measure-tree.ts";
import { DiskAdmission } from "./disk/disk-admission.ts";
import { asDiskError } from "./disk/disk-error.ts";
import { type GitDirectories, openGitDirectories } from "./disk/git-directories.ts";
import { LocalRepositories } from "./local/local-repositories.ts";
import { claimLife, releaseLife } from "./lock/life-lock.ts";
import { type LockObserver, RepositoryLocks } from "./lock/repository-lock.ts";
import { KeptCommits } from "./mirror/kept-commits.ts";
import { Mirrors } from "./mirror/mirror.ts";
import { MirrorContents } from "./mirror/mirror-contents.ts";
import { mirroredRemotes } from "./mirror/mirrored-remotes.ts";
import { RemoteRepositories } from "./mirror/remote-repositories.ts";
import { type RemovalOutcome, removeMirror } from "./mirror/remove-mirror.ts";
import { repackMirrors } from "./mirror/repack-mirrors.ts";
import { detectPlatform, type Platform } from "./platform/detect-platform.ts";
import type { RemoteUrl } from "./remote/remote-url.ts";
import type { OnReport } from "./report.ts";
import type { WantedRuns } from "./result/collect-results.ts";
import { Results } from "./result/results.ts";
import { type JobUser, jobUser } from "./sandbox/job-user.ts";
import { sweep } from "./sweep/sweep.ts";
import { sweepRegularly } from "./sweep/sweep-regularly.ts";
import type { SweepReport } from "./sweep/sweep-report.ts";
import { removeTemplates } from "./sweep/sweep-templates.ts";
import { Templates } from "./template/templates.ts";
import { FileLedger, type WorkspaceLedger } from "./workspace/ledger.ts";
import { WorkspaceError } from "./workspace/workspace-error.ts";
import { Workspaces } from "./workspace/workspaces.ts";
import { Worktrees } from "./worktree/worktrees.ts";

export interface GitOptions {
  readonly data: string;
  /** As whom jobs run when we are root. */
  readonly jobUser?: JobUser | undefined;
  /** In files below the data directory unless somebody keeps it elsewhere. */
  readonly ledger?: WorkspaceLedger | undefined;
  readonly limits?: TreeLimits | undefined;
  readonly templateBudgetBytes?: number | undefined;
  /** Of the disk, kept free for everything else; a part of it unless it is given. */
  readonly reserveBytes?: number | undefined;
  readonly lockObserver?: LockObserver | undefined;
  /** What did not go as it should, in words: path, whose, what to do. */
  readonly onReport?: OnReport | undefined;
  /** Failures of what nobody waits for. */
  readonly onBackgroundError?: ((what: string, error: unknown) => void) | undefined;
  /** `required`: refuses to open where commands cannot be kept apart. Otherwise that is reported. */
  readonly sandbox?: "required" | undefined;
  /** Sweeps and repacks at once, in the background, and then regularly; never unless it is given. A minute is good. */
  readonly sweepEveryMs?: number | undefined;
  /** Whose results are kept; looked at in the regular sweeps, now and then. All are kept unless it is given. */
  readonly wantedRuns?: WantedRuns | undefined;
  /** Instead of finding out. */
  readonly platform?: Platform | undefined;
}

export interface Git {
  readonly directories: GitDirectories;
  readonly platform: Platform;
  readonly locks: RepositoryLocks;
  readonly mirrors: Mirrors;
  readonly templates: Templates;
  readonly ledger: WorkspaceLedger;
  readonly workspaces: Workspaces;
  /** What owners' jobs made: integrated, published, moved between hosts, forgotten. */
  readonly results: Results;
  /** Which commit a ref of a remote is, and what its files say. */
  readonly remotes: RemoteRepositories;
  /** Files, changes and contents of what is mirrored. */
  readonly contents: MirrorContents;
  /** Commits that mirrors must not lose. */
  readonly kept: KeptCommits;
  /** The same, and more, for repositories that are the caller's own. */
  readonly local: LocalRepositories;
  /** The remotes that this host has mirrors of. */
  mirrored(): Promise<RemoteUrl[]>;
  /** With its templates, when nobody wants it: `isStillWanted` is asked while nobody can begin to. */
  removeMirror(remote: RemoteUrl, isStillWanted: () => Promise<boolean>): Promise<RemovalOutcome>;
  /** Removes leftovers of the dead: at start, and every minute. */
  sweep(): Promise<SweepReport>;
  /** Resolves when nothing runs in the background any more. Workspaces that are still there belong to nobody then. */
  close(): Promise<void>;
}

const TEMPLATE_BUDGET_BYTES = 20 * 1024 ** 3;

export async function openGit(options: GitOptions): Promise<Git> {
  const { directories, platform } = await openPlace(options);
  const onReport = options.onReport ?? ((report: string) => warn(report));
  const onBackgroundError =
    options.onBackgroundError ?? ((what: string, error: unknown) => warn(`${what}: ${error}`));
  const { limits, templateBudgetBytes: budgetBytes = TEMPLATE_BUDGET_BYTES } = options;
  const ledger = options.ledger ?? new FileLedger(`${directories.workspaces}/.ledger`);
  const locks = new RepositoryLocks(directories.locks, options.lockObserver);
  const admission = new DiskAdmission(directories.data, options.reserveBytes);
  const mirrors = new Mirrors(directories, locks, {
    onBackgroundError: (error) => onBackgroundError("first fetch of a mirror", error),
  });
  const worktrees = new Worktrees({
    ...{ directories, locks, ledger },
    onKept: ({ path, why }) => onReport(`kept '${path}': ${why}`, { path }),
  });
  const shared = { directories, locks, admission, limits, onBackgroundError };
  const templates = new Templates({ ...shared, owner: platform.jobUser });
  const parts = { ...shared, templates, mirrors, worktrees, ledger, platform, onReport };
  const workspaces = new Workspaces(parts);
  reportSandbox(platform, options.sandbox, onReport);
  const sweepAll = () =>
    sweep({
      ...{ directories, locks, ledger, workspaces, budgetBytes },
      jobUser: platform.jobUser,
    });
  const removal = {
    ...{ directories, locks, ledger },
    removeTemplates: (home: string) =>
      removeTemplates(home, { directories, locks, ledger, budgetBytes }),
  };
  const contents = new MirrorContents(mirrors);
  const results = new Results({ directories, locks, mirrors });
  const closing = new AbortController();
  const collect = collector(results, options.wantedRuns, closing.signal);
  const clean = async () => {
    const report = await sweepAll();
    await repackMirrors(directories, locks, onReport);
    return { ...report, failed: [...report.failed, ...(await collect())] };
  };
  const { sweepEveryMs } = options;
  const regular =
    sweepEveryMs === undefined ? undefined : sweepRegularly(clean, sweepEveryMs, onReport);
  return {
    ...{ directories, platform, locks, mirrors, templates, ledger, workspaces },
    results,
    remotes: new RemoteRepositories(mirrors),
    contents,
    kept: new KeptCommits(mirrors, locks),
    mirrored: () => mirroredRemotes(directories),
    removeMirror: (remote, isStillWanted) => removeMirror(removal, remote, isStillWanted),
    local: new LocalRepositories({ directories, locks }),
    sweep: sweepAll,
    close: async () => {
      closing.abort();
      await regular?.stop();
      await contents.close();
      await mirrors.close();
      await templates.idle();
      await workspaces.idle();
      releaseLife(directories.locks);
    },
  };
}

const COLLECT_EVERY_MS = 600_000;

/** To look at every ref of every owner each minute would be much for little. */
function collector(results: Results, wanted: WantedRuns | undefined, signal: AbortSignal) {
  let lastAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<SweepReport["failed"]> => {
    if (wanted === undefined || performance.now() - lastAt < COLLECT_EVERY_MS) return [];
    lastAt = performance.now();
    return (await results.collect(wanted, signal)).failed;
  };
}

function reportSandbox(
  { sandbox }: Platform,
  wish: GitOptions["sandbox"],
  onReport: (report: string) => void,
): void {
  if (sandbox.isPossible) return;
  const said = `jobs are not kept apart: ${sandbox.reason}; ${sandbox.advice}`;
  if (wish === "required") throw new WorkspaceError("sandbox-failed", said);
  onReport(said);
}

async function openPlace(options: GitOptions) {
  const user = jobUser(options.jobUser);
  try {
    const directories = await openGitDirectories(options.data, user !== undefined);
    await claimLife(directories.locks);
    return {
      directories,
      platform: options.platform ?? (await detectPlatform(directories, user)),
    };
  } catch (error) {
    throw asDiskError(error);
  }
}

function warn(text: string): void {
  process.emitWarning(text, "CroftGit");
}
