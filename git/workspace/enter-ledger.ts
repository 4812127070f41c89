// Writes a workspace into the ledger before anything of it is made.
import { join } from "node:path";
import { thisProcess } from "../command/process-identity.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { LedgerEntry, WorkspaceLedger } from "./ledger.ts";
import { drawWorkspaceId } from "./workspace-id.ts";

const DRAWS_MAX = 10;

/** A name that is taken is drawn again. */
export async function enterLedger(
  ledger: WorkspaceLedger,
  { workspaces }: Pick<GitDirectories, "workspaces">,
  name: string,
  what: Omit<LedgerEntry, "id" | "path" | "process" | "createdAt">,
): Promise<LedgerEntry> {
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const id = drawWorkspaceId(name);
    const entry: LedgerEntry = {
      ...what,
      id,
      path: join(workspaces, id),
      process: thisProcess(),
      createdAt: new Date().toISOString(),
    };
    if (await ledger.add(entry)) return entry;
  }
  throw new Error(`no free workspace name for '${name}' in ${DRAWS_MAX} draws`);
}
