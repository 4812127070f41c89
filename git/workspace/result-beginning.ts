// Finds the result that a workspace is to begin at, and gathers what of it the remote does not have.
import { inQuarantine, packInto, packsIn } from "../result/in-quarantine.ts";
import { type ResultParts, reachBase } from "../result/reach-base.ts";
import { WorkspaceError } from "./workspace-error.ts";
import type { Beginning } from "./workspace-maker.ts";
import type { ResultStart, WorkspaceRequest } from "./workspace-request.ts";

type Asked = Pick<WorkspaceRequest, "repository" | "owner" | "access" | "signal">;

/**
 * One pack of what the result has and its base has not: nothing else of the owner's results, and nothing that leads into
 * our data. It is there while `make` runs.
 */
export async function withResult<T>(
  parts: ResultParts,
  { repository, owner: { owner }, access = {}, signal = access.signal }: Asked,
  { commit, base }: ResultStart,
  make: (beginning: Beginning) => Promise<T>,
): Promise<T> {
  const reaching = { repository, owner, base, access: { ...access, signal } };
  const { results, mirror } = await reachBase(parts, reaching);
  if (commit === base) return await make({ mirror, commit });
  if (!(await results.hasRecorded(commit))) {
    throw new WorkspaceError("invalid-request", `no result leads to commit ${commit}`);
  }
  return await inQuarantine(parts.directories, results, async (quarantine) => {
    await packInto(quarantine, commit, [base], signal);
    const result = { gitDir: results.gitDir, base, packs: packsIn(quarantine.place) };
    return await make({ mirror, commit, result });
  });
}
