// A process with all that it has started, found without looking at everybody else's.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readProcessState } from "./process-state.ts";
import { descendantsOf, signalProcess } from "./process-tree.ts";

/** Where the kernel tells of its children, thread by thread; not all are built so. */
const CHILDREN = "children";

/** All that descend from it and live. */
export function familyOf(pid: number): number[] {
  if (!tellsChildren()) return descendantsOf(pid).filter(isAlive);
  const found: number[] = [];
  for (let open = childrenOf(pid); open.length > 0; open = open.flatMap(childrenOf)) {
    found.push(...open);
  }
  return found.filter(isAlive);
}

/**
 * Ends it with all that descends from it, and with the group that it leads. Each is stopped before its children are asked
 * for: it starts no more then, and collects none, so that none is missed.
 */
export function killFamily(pid: number): void {
  signalOwn(pid, "SIGSTOP");
  const found: number[] = [];
  try {
    if (!tellsChildren()) found.push(...descendantsOf(pid));
    for (let open = tellsChildren() ? childrenOf(pid) : []; open.length > 0; ) {
      found.push(...open);
      for (const child of open) signalOwn(child, "SIGSTOP");
      open = open.flatMap(childrenOf);
    }
  } finally {
    for (const child of found) signalOwn(child, "SIGKILL");
    signalOwn(-pid, "SIGKILL");
  }
}

/**
 * A number that is another one when it has started a process meanwhile, also one that has ended or gone to another parent:
 * the faults of the children that it has collected. Undefined where that cannot be told: some live, or it has ended itself
 * and its children are somebody else's now, or there is no descriptor to look with.
 */
export function traceOfChildren(pid: number): number | undefined {
  try {
    if (!tellsChildren() || childrenOf(pid).length > 0) return undefined;
    const state = readProcessState(pid);
    return state?.isAlive === true ? state.childFaults : undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  const threads = orNothing(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) => {
    const text = orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/${CHILDREN}`, "utf8"));
    return (text ?? "").split(" ").flatMap((word) => (word.trim() === "" ? [] : [Number(word)]));
  });
}

/** Of what has ended meanwhile. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

/** One that became another user's is not ours to end. */
function signalOwn(pid: number, signal: NodeJS.Signals): void {
  try {
    signalProcess(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

let isTold: boolean | undefined;

function tellsChildren(): boolean {
  isTold ??= existsSync(`/proc/thread-self/${CHILDREN}`);
  return isTold;
}

function isAlive(pid: number): boolean {
  return readProcessState(pid)?.isAlive === true;
}
