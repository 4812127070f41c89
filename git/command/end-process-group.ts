// Ends a process with all its children: politely, then by force.
import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "./process-state.ts";

export const KILL_GRACE_MS = 5000;
const DEAD_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 20;

/**
 * The child leads a group of its own. Killing git alone leaves its transport alive and holding the pipes; a group that
 * got SIGTERM also lets git remove what it had half made.
 */
export async function endProcessGroup(child: ChildProcess, graceMs = KILL_GRACE_MS): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const killAt = Date.now() + graceMs;
  signalGroup(pid, "SIGTERM");
  while (isGroupAlive(pid) && Date.now() < killAt) await delay(LOOK_EVERY_MS);
  signalGroup(pid, "SIGKILL");
  const giveUpAt = Date.now() + DEAD_WITHIN_MS; // one that hangs in the kernel dies when it comes back
  while (isGroupAlive(pid) && Date.now() < giveUpAt) await delay(LOOK_EVERY_MS);
}

/** Where init is slow to collect orphans, a group of dead processes lingers for a second. */
function isGroupAlive(pid: number): boolean {
  if (!signalGroup(pid, 0)) return false;
  return (
    process.platform !== "linux" || readdirSync("/proc").some((name) => isLivingMember(name, pid))
  );
}

function isLivingMember(name: string, group: number): boolean {
  const state = /^\d+$/.test(name) ? readProcessState(name) : undefined;
  return state?.isAlive === true && state.group === group;
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH" || code === "EPERM") return false; // EPERM: on macOS, only zombies are left
    throw error;
  }
}
