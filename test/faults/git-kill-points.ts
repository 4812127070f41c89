// Finds every point at which an operation can be killed: each call that changes something, in each thread and child.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KillPoint } from "./run-kill-driver.ts";

/** `log` is what a recorded run has written. */
export function findKillPoints(log: string): KillPoint[] {
  return readdirSync(log)
    .sort()
    .flatMap((file) => pointsIn(file, readFileSync(join(log, file), "utf8")));
}

function pointsIn(file: string, trace: string): KillPoint[] {
  const calls = callsIn(trace);
  const thread = /^thread\.(\d+)$/.exec(file)?.[1];
  if (thread !== undefined) {
    return calls.map((call) => ({ ...call, at: { thread: Number(thread) }, dies: "caller" }));
  }
  if (isRemote(file)) return [];
  const at = { child: file };
  const deaths = ["child", "caller"] as const;
  return calls.flatMap((call) => deaths.map((dies) => ({ ...call, at, dies })));
}

/** The other end of a fetch from a path: not ours. */
function isRemote(file: string): boolean {
  return /\.git\.(upload-pack|pack-objects)$/.test(file);
}

/** Each with its number among those of its name, as strace counts. What only wakes another thread changes nothing. */
function callsIn(trace: string): { call: string; when: number }[] {
  const counts = new Map<string, number>();
  const found: { call: string; when: number }[] = [];
  for (const line of trace.split("\n")) {
    const call = /^([a-z]\w*)\(/.exec(line)?.[1];
    if (call === undefined) continue;
    const when = (counts.get(call) ?? 0) + 1;
    counts.set(call, when);
    if (!line.includes("<anon_inode:")) found.push({ call, when });
  }
  return found;
}

export function describePoint({ call, when, at, dies }: KillPoint): string {
  const where = "thread" in at ? `thread ${at.thread}` : at.child;
  return `${call} ${when} in ${where}, ${dies} killed`;
}
