// Takes a workspace away: first everybody in it, then the mount, then the files; the ledger last.
import { existsSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processesIn, signalProcess } from "../command/process-tree.ts";
import { type GitDirectories, moveToTrash, removeTree } from "../disk/git-directories.ts";
import { isMounted, unmount, unmountLazily } from "../disk/mount-overlay.ts";
import type { OnReport, ReportSubject } from "../report.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import type { LedgerEntry, WorkspaceLedger } from "./ledger.ts";
import { isWorkspaceId } from "./workspace-id.ts";

export interface RemovalParts {
  readonly directories: GitDirectories;
  readonly ledger: WorkspaceLedger;
  /** As whom jobs run; undefined: as ourselves. */
  readonly jobUser: JobUser | undefined;
  /** What could not be done as it should: `path`, whose, and what to do. */
  readonly onReport: OnReport;
}

const LEAVE_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 20;

/** As much of its entry as is needed; whose it was is for reports. */
type Removed = Pick<LedgerEntry, "id" | "path"> & Partial<LedgerEntry>;

/** Beside the checkout: the writable layer, temporary files, what is needed while it is made. */
export function partsOf({ workspaces }: Pick<GitDirectories, "workspaces">, id: string): string {
  return join(workspaces, ".parts", id);
}

/**
 * `isQuiet` when all its commands ran in a sandbox and have ended: a process namespace leaves nobody behind. Otherwise
 * whoever is in it is looked for. Returns the trash it leaves, to be deleted at leisure.
 */
export async function removeWorkspace(
  entry: Removed,
  parts: RemovalParts,
  isQuiet: boolean,
): Promise<string[]> {
  const { directories, ledger } = parts;
  const { id, path } = entry;
  requireOurs(entry, directories);
  const places = [path, partsOf(directories, id)];
  if (!isQuiet) await endProcessesIn(places, parts, entry);
  await unmountAll(path, places, parts, entry);
  const trash: string[] = [];
  for (const place of places) {
    if (isEmptyAndGone(place)) continue;
    const doomed = await moveToTrash(directories, place);
    if (doomed !== undefined) trash.push(doomed);
  }
  await ledger.remove(id);
  return trash;
}

export async function deleteTrash(trash: readonly string[]): Promise<void> {
  for (const doomed of trash) await removeTree(doomed);
}

/** Nothing is deleted that is not a direct child of our directory with a name of ours. */
function requireOurs(
  { id, path }: Pick<LedgerEntry, "id" | "path">,
  { workspaces }: GitDirectories,
) {
  if (isWorkspaceId(id) && basename(path) === id && dirname(path) === workspaces) return;
  throw new Error(`refusing to remove '${path}': it is not the place of workspace '${id}'`);
}

async function endProcessesIn(
  places: readonly string[],
  { onReport, jobUser }: RemovalParts,
  entry: Removed,
): Promise<void> {
  const { path, runId } = entry;
  const giveUpAt = Date.now() + LEAVE_WITHIN_MS;
  const uid = jobUser?.uid ?? process.getuid?.() ?? 0;
  const look = () => processesIn(places, uid);
  for (let inside = look(); inside.length > 0; inside = look()) {
    if (Date.now() > giveUpAt) {
      onReport(
        `processes ${inside.join(", ")} stay in '${path}'${ofRun(runId)} after SIGKILL; end them by hand`,
        subjectOf(entry),
      );
      return;
    }
    for (const pid of inside) signalProcess(pid, "SIGKILL");
    await delay(LOOK_EVERY_MS);
  }
}

async function unmountAll(
  path: string,
  places: readonly string[],
  parts: RemovalParts,
  entry: Removed,
): Promise<void> {
  if (!isMounted(path)) return;
  const giveUpAt = Date.now() + LEAVE_WITHIN_MS;
  while (!(await unmount(path))) {
    if (Date.now() > giveUpAt) {
      parts.onReport(
        `'${path}'${ofRun(entry.runId)} is still in use and was unmounted lazily; see who has it open (fuser -m)`,
        subjectOf(entry),
      );
      await unmountLazily(path);
      return;
    }
    await endProcessesIn(places, parts, entry);
    await delay(LOOK_EVERY_MS);
  }
}

/** The place of a mount is an empty directory: no need for the trash. */
function isEmptyAndGone(place: string): boolean {
  if (!existsSync(place)) return true;
  try {
    rmdirSync(place);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "EBUSY") return false;
    throw error;
  }
}

export function subjectOf({ id, path, owner, runId, jobId, attempt }: Removed): ReportSubject {
  return { workspace: id, path, owner, runId, jobId, attempt };
}

function ofRun(runId: string | undefined): string {
  return runId === undefined ? "" : ` of run ${runId}`;
}
