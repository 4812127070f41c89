// Ends the checkout that a killed Croft has left running.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "../command/process-state.ts";
import { signalProcess } from "../command/process-tree.ts";

/** In the environment of the git that checks out, and so of its workers. */
const MARK = "CROFT_WORKTREE";
const END_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 10;

export function orphanMark(id: string): Record<string, string> {
  return { [MARK]: id };
}

/**
 * A checkout runs without the repository's lock, so nobody waits for it. It is known by its environment, not by being in
 * the directory: there may also be a developer's shell.
 */
export async function endOrphans(id: string): Promise<void> {
  const giveUpAt = Date.now() + END_WITHIN_MS;
  for (let found = orphansOf(id); found.length > 0; found = orphansOf(id)) {
    if (Date.now() > giveUpAt) {
      throw new Error(`the checkout of '${id}', pid ${found.join(", ")}, does not end`);
    }
    for (const pid of found) signalProcess(pid, "SIGKILL");
    await delay(LOOK_EVERY_MS);
  }
}

function orphansOf(id: string): number[] {
  const mark = `${MARK}=${id}`;
  return processIds().filter(
    (pid) => environmentOf(pid).includes(mark) && readProcessState(pid)?.isAlive === true,
  );
}

function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // it has ended, or is another user's: ours run as us, or we are root
  }
}
