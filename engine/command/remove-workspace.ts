// Takes the workspace of an attempt away, whatever became of the attempt.
import type { Workspace } from "@croft/git";
import type { Log } from "../log.ts";

/** That it cannot be removed is not the job's fault, and no reason to do its work again: the next sweep removes it. */
export async function removeWorkspace(workspace: Workspace, log: Log): Promise<void> {
  try {
    await workspace.remove();
    log.info({}, "a workspace was removed");
  } catch (error) {
    log.warn({ err: error }, "a workspace could not be removed: the next sweep tries again");
  }
}
