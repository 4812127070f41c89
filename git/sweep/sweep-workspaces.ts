// Removes the workspaces of the dead, and leaves alone what it cannot prove to be one of ours.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isProcessAlive, type ProcessIdentity } from "../command/process-identity.ts";
import { type MarkedProcess, markedProcesses, signalProcess } from "../command/process-tree.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import type { LedgerEntry, WorkspaceLedger } from "../workspace/ledger.ts";
import { WORKSPACE_MARKER } from "../workspace/make-checkout.ts";
import { partsOf, subjectOf } from "../workspace/remove-workspace.ts";
import { isWorkspaceId } from "../workspace/workspace-id.ts";
import type { SweepLog } from "./sweep-report.ts";

export interface WorkspaceSweepParts {
  readonly directories: GitDirectories;
  readonly ledger: WorkspaceLedger;
  readonly jobUser: JobUser | undefined;
  readonly remove: (entry: LedgerEntry) => Promise<void>;
}

export async function sweepWorkspaces(parts: WorkspaceSweepParts, log: SweepLog): Promise<void> {
  const { directories, ledger, remove } = parts;
  // Processes and directories first: whatever is made meanwhile is in the ledger before there is anything of it.
  const marked = processesIn(parts);
  const found = namesIn(directories.workspaces);
  await ledger.sweep();
  const entries = await ledger.list();
  for (const entry of entries) {
    if (await ledger.isLive(entry)) continue;
    await log.attempt(entry.path, () => remove(entry).then(() => true), subjectOf(entry));
  }
  const known = new Set(entries.map(({ id }) => id));
  for (const id of found) if (!known.has(id)) await sweepUnknown(id, parts, log);
  for (const { pid, workspace } of marked) {
    if (known.has(basename(workspace))) continue;
    signalProcess(pid, "SIGKILL");
    log.removed.push(`process ${pid} of '${workspace}'`);
  }
}

/**
 * Who is killed while it starts a command leaves a process that becomes the command later, when whoever looked for
 * leftovers has gone (seen: on a busy machine, and then it waits for ever).
 */
function processesIn({ directories, jobUser }: WorkspaceSweepParts): MarkedProcess[] {
  const own = process.getuid?.() ?? 0;
  const users = new Set([own, jobUser?.uid ?? own]);
  return markedProcesses(users).filter(
    ({ workspace }) => dirname(workspace) === directories.workspaces,
  );
}

/** Not in the ledger (it may have been restored from a backup): only its own marker can prove whose it is. */
async function sweepUnknown(id: string, parts: WorkspaceSweepParts, log: SweepLog): Promise<void> {
  const { directories, ledger, remove } = parts;
  const path = join(directories.workspaces, id);
  if ((await ledger.list()).some((entry) => entry.id === id)) return;
  const entry = readWorkspaceMarker(partsOf(directories, id));
  if (!isWorkspaceId(id) || entry?.id !== id) {
    if (namesIn(directories.workspaces).includes(id)) {
      log.keep(path, "it is not in the ledger and has no marker of ours; remove it by hand");
    }
    return;
  }
  if (isProcessAlive(entry.process)) {
    log.keep(path, `it is not in the ledger, but process ${entry.process.pid} works in it`);
    return;
  }
  await log.attempt(path, async () => {
    await remove(entry);
    return true;
  });
}

function namesIn(workspaces: string): string[] {
  const parts = readdirSync(join(workspaces, ".parts"));
  const own = readdirSync(workspaces).filter((name) => name !== ".parts" && name !== ".ledger");
  return [...new Set([...own, ...parts])];
}

function readWorkspaceMarker(
  parts: string,
): (LedgerEntry & { process: ProcessIdentity }) | undefined {
  try {
    return JSON.parse(readFileSync(join(parts, WORKSPACE_MARKER), "utf8"));
  } catch {
    return undefined; // none, or cut short: then nothing is proven
  }
}
