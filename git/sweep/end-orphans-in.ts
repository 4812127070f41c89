// Ends the gits and sandboxes that a killed process has left in a place of ours.
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "../command/process-state.ts";
import { processesIn, signalProcess } from "../command/process-tree.ts";
import type { JobUser } from "../sandbox/job-user.ts";

const END_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 10;

/**
 * A first fetch could go on for hours, into files that nobody sees any more, and keep the lock it inherited. Only what we
 * start there ourselves: an operator's shell may stand in the directory too.
 */
export async function endOrphansIn(path: string, jobUser: JobUser | undefined): Promise<void> {
  const giveUpAt = Date.now() + END_WITHIN_MS;
  for (let found = orphansIn(path, jobUser); found.length > 0; found = orphansIn(path, jobUser)) {
    if (Date.now() > giveUpAt) throw new Error(`pid ${found.join(", ")} in it does not end`);
    for (const pid of found) signalProcess(pid, "SIGKILL");
    await delay(LOOK_EVERY_MS);
  }
}

function orphansIn(path: string, jobUser: JobUser | undefined): number[] {
  const users = new Set([process.getuid?.() ?? 0, jobUser?.uid ?? process.getuid?.() ?? 0]);
  const inside = [...users].flatMap((uid) => processesIn([path], uid));
  return inside.filter((pid) => {
    const state = readProcessState(pid);
    return state?.isAlive === true && /^(git|bwrap$)/.test(state.program);
  });
}
