// Removes what was being made when its maker died, and empties the trash.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive } from "../command/process-identity.ts";
import {
  type GitDirectories,
  moveToTrash,
  removeTree,
  stagingMaker,
} from "../disk/git-directories.ts";
import { unmountBelow } from "../disk/mount-overlay.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { endOrphansIn } from "./end-orphans-in.ts";
import type { SweepLog } from "./sweep-report.ts";

export async function sweepStaging(
  directories: GitDirectories,
  jobUser: JobUser | undefined,
  log: SweepLog,
): Promise<void> {
  for (const name of readdirSync(directories.staging)) {
    const path = join(directories.staging, name);
    const maker = stagingMaker(name);
    if (maker === undefined) {
      log.keep(path, "its name tells no maker: not made by Croft; remove it by hand");
      continue;
    }
    if (isProcessAlive(maker)) continue; // still being made
    await log.attempt(path, async () => {
      await endOrphansIn(path, jobUser);
      await unmountBelow(path);
      const doomed = await moveToTrash(directories, path);
      if (doomed !== undefined) await removeTree(doomed);
      return true;
    });
  }
}

/** Each by itself: what cannot be deleted stays where nobody meets it, and the next sweep tries again. */
export async function sweepTrash({ trash }: GitDirectories, log: SweepLog): Promise<void> {
  for (const name of readdirSync(trash)) {
    const path = join(trash, name);
    await log.part(path, () => removeTree(path)); // it was removed before: no news
  }
}
