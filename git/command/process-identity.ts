// Names one process for good: numbers are given again, a number with its start time is not.
import { isLifeOver, ownLife } from "../lock/life-lock.ts";
import { readProcessState } from "./process-state.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /**
   * As /proc tells it, empty where there is no /proc; and behind a dash the name of its life lock, if it holds one. Only
   * that can be seen from another container, where numbers and times mean something else.
   */
  readonly start: string;
}

let startTicks: string | undefined;

export function thisProcess(): ProcessIdentity {
  startTicks ??= readProcessState(process.pid)?.start ?? "";
  const life = ownLife();
  return { pid: process.pid, start: life === undefined ? startTicks : `${startTicks}-${life}` };
}

export function isProcessAlive({ pid, start }: ProcessIdentity): boolean {
  const [ticks = "", life] = start.split("-");
  if (life !== undefined) return !isLifeOver(life);
  if (ticks === "") return answersSignal(pid);
  const state = readProcessState(pid);
  return state?.start === ticks && state.isAlive;
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
