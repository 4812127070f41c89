// The refs that results are recorded under: all below `refs/croft/`, those of a run by its id, step and item.
import { isRefName } from "../remote/ref-name.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";

/** Below it, by its id, all that a run has recorded. */
export const RUNS = "refs/croft/runs/";

export function requireResultRef(ref: string): void {
  if (ref.startsWith("refs/croft/") && isRefName(ref)) return;
  throw invalid(`a result is recorded below 'refs/croft/', not as '${ref.slice(0, 80)}'`);
}

/** With the slash at its end, so that no other run's name begins with it. */
export function runPrefix(run: string): string {
  if (!isRefName(run) || run.includes("/")) throw invalid(`not a run: '${run.slice(0, 80)}'`);
  return `${RUNS}${run}/`;
}

export function runRef(run: string, step: string, item?: string): string {
  const ref = `${runPrefix(run)}${step}${item === undefined ? "" : `/${item}`}`;
  requireResultRef(ref);
  return ref;
}

function invalid(message: string): WorkspaceError {
  return new WorkspaceError("invalid-request", message);
}
