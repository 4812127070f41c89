// Removes what was being made when its maker died, and empties the trash.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive } from "../command/process-identity.ts";
import {
  emptyTrash,
  type GitDirectories,
  moveToTrash,
  removeTree,
  stagingMaker,
} from "../disk/git-directories.ts";
import { mountsBelow, unmount, unmountLazily } from "../disk/mount-overlay.ts";
import type { SweepLog } from "./sweep-report.ts";

export async function sweepStaging(directories: GitDirectories, log: SweepLog): Promise<void> {
  for (const name of readdirSync(directories.staging)) {
    const maker = stagingMaker(name);
    if (maker === undefined || isProcessAlive(maker)) continue; // not ours, or still being made
    const path = join(directories.staging, name);
    await log.attempt(path, async () => {
      for (const mount of mountsBelow(path))
        if (!(await unmount(mount))) await unmountLazily(mount);
      const doomed = await moveToTrash(directories, path);
      if (doomed !== undefined) await removeTree(doomed);
      return true;
    });
  }
  await log.attempt(directories.trash, async () => {
    if (!existsSync(directories.trash)) return false;
    await emptyTrash(directories);
    return false;
  });
}
