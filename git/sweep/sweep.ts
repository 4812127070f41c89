// Removes leftovers of the dead, and says what it kept and why. Blocks nobody, and one failure does not stop the rest.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { sweepMirrors } from "../mirror/sweep-mirrors.ts";
import { removeExpiredBundles } from "../result/keep-bundle.ts";
import type { WorkspaceLedger } from "../workspace/ledger.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { SweepLog, type SweepReport } from "./sweep-report.ts";
import { sweepStaging } from "./sweep-staging.ts";
import { sweepTemplates } from "./sweep-templates.ts";
import { sweepWorkspaces } from "./sweep-workspaces.ts";

export interface SweepParts {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly ledger: WorkspaceLedger;
  readonly workspaces: Workspaces;
  readonly budgetBytes: number;
}

export async function sweep(parts: SweepParts): Promise<SweepReport> {
  const { directories, workspaces } = parts;
  const log = new SweepLog();
  const remove = (entry: Parameters<Workspaces["removeEntry"]>[0]) =>
    workspaces.removeEntry(entry, false);
  await sweepWorkspaces({ ...parts, remove }, log);
  await sweepStaging(directories, log);
  await sweepTemplates(parts, log);
  await sweepKept(directories, log);
  await log.attempt(directories.mirrors, async () => {
    const { removed, kept } = await sweepMirrors(directories, parts.locks);
    log.removed.push(...removed);
    log.kept.push(...kept);
    return false;
  });
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
