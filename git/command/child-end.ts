// Waits for the end of a program and for the last it wrote, and is not held by others who keep its output open.
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

export interface ChildEnd {
  /** Null when a signal ended it, or it was never started. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly spawnError?: Error | undefined;
}

/** How long nothing may come after the end before the output counts as complete. */
const LAST_OUTPUT_MS = 1000;
/** And how long is listened at most: who writes without end is not waited for. */
const LISTEN_MS_MAX = 10_000;

/** To be called at once, or the end may be missed. */
export async function childEnd(child: ChildProcess): Promise<ChildEnd> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  const end = await new Promise<ChildEnd>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    child.once("error", (spawnError) => resolve({ exitCode: null, signal: null, spawnError }));
  });
  // A stray grandchild may hold the pipes for ever. As long as something comes, it is listened to, for a while.
  const giveUpAt = performance.now() + LISTEN_MS_MAX;
  const isOver = () => isClosed || end.spawnError !== undefined || performance.now() > giveUpAt;
  for (let seen = -1; !isOver() && seen !== bytesFrom(child); ) {
    seen = bytesFrom(child);
    const waiting = new AbortController();
    const patience = delay(LAST_OUTPUT_MS, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([closed, patience]);
    waiting.abort();
    await nextTurn(); // after a pause of the whole process the timer comes before what lies in the pipe
  }
  for (const stream of child.stdio ?? []) stream?.destroy(); // none, when there were no descriptors for them
  return end;
}

function bytesFrom({ stdout, stderr }: ChildProcess): number {
  return ((stdout as Socket | null)?.bytesRead ?? 0) + ((stderr as Socket | null)?.bytesRead ?? 0);
}
