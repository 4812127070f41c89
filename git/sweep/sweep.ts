// Removes leftovers of the dead, and says what it kept and why. Blocks nobody, and one failure does not stop the rest.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { GitDirectories } from "../disk/git-directories.ts";
import { sweepLives } from "../lock/life-lock.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { sweepMirrors } from "../mirror/sweep-mirrors.ts";
import { removeDeadProbes } from "../platform/probe-directory.ts";
import { removeExpiredBundles } from "../result/keep-bundle.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import type { WorkspaceLedger } from "../workspace/ledger.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { SweepLog, type SweepReport } from "./sweep-report.ts";
import { sweepStaging, sweepTrash } from "./sweep-staging.ts";
import { sweepTemplates } from "./sweep-templates.ts";
import { sweepWorkspaces } from "./sweep-workspaces.ts";

export interface SweepParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly ledger: WorkspaceLedger;
  readonly workspaces: Workspaces;
  readonly budgetBytes: number;
  /** As whom jobs run; undefined: as ourselves. */
  readonly jobUser: JobUser | undefined;
}

export async function sweep(parts: SweepParts): Promise<SweepReport> {
  const { directories, locks, workspaces, jobUser } = parts;
  const log = new SweepLog();
  const remove = (entry: Parameters<Workspaces["removeEntry"]>[0]) =>
    workspaces.removeEntry(entry, false);
  await log.part(directories.workspaces, () => sweepWorkspaces({ ...parts, remove }, log));
  await log.part(directories.staging, () => sweepStaging(directories, jobUser, log));
  await log.part(directories.trash, () => sweepTrash(directories, log));
  await log.part(directories.templates, () => sweepTemplates(parts, log));
  await log.part(directories.results, () => sweepKept(directories, log));
  await log.part(directories.mirrors, async () => {
    const { removed, kept } = await sweepMirrors(directories, locks);
    log.removed.push(...removed);
    log.kept.push(...kept);
  });
  await log.part(directories.data, async () => {
    log.removed.push(...(await removeDeadProbes(directories.data)));
  });
  await log.part(directories.locks, async () => sweepLives(directories.locks));
  return log;
}

async function sweepKept({ results }: GitDirectories, log: SweepLog): Promise<void> {
  for (const owner of readdirSync(results)) {
    const kept = join(results, owner, "kept");
    await log.attempt(kept, async () => {
      if (!existsSync(kept)) return false;
      return (await removeExpiredBundles(kept, Date.now())).length > 0;
    });
  }
}
