// Ends the checkout and the commands that a killed Croft has left running.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readProcessState } from "../command/process-state.ts";
import { processesIn, signalProcess } from "../command/process-tree.ts";
import type { RepositoryOwner } from "./find-repository.ts";

/** In the environment of the git that checks out, and so of its workers. */
const MARK = "CROFT_WORKTREE";
const END_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 10;

export function orphanMark(id: string): Record<string, string> {
  return { [MARK]: id };
}

/**
 * A checkout runs without the repository's lock, so nobody waits for it. It is known by its environment, and a command by
 * its temporary directory in `parts`; not by being in the worktree, where a developer's shell may stand too.
 */
export async function endOrphans(
  id: string,
  parts: string,
  owner: RepositoryOwner | undefined,
): Promise<void> {
  const uid = owner?.uid ?? process.getuid?.() ?? 0;
  const look = () => [...marked(id), ...processesIn([parts], uid)].filter(isAlive);
  const giveUpAt = Date.now() + END_WITHIN_MS;
  for (let found = look(); found.length > 0; found = look()) {
    if (Date.now() > giveUpAt) {
      throw new Error(`processes ${found.join(", ")} of '${id}' do not end`);
    }
    for (const pid of found) signalProcess(pid, "SIGKILL");
    await delay(LOOK_EVERY_MS);
  }
}

function marked(id: string): number[] {
  const mark = `${MARK}=${id}`;
  return processIds().filter((pid) => environmentOf(pid).includes(mark));
}

function isAlive(pid: number): boolean {
  return readProcessState(pid)?.isAlive === true;
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
