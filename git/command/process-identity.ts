// Names one process for good: numbers are given again, a number with its start time is not.
import { readProcessState } from "./process-state.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** As /proc tells it; empty where there is no /proc. */
  readonly start: string;
}

let self: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  self ??= { pid: process.pid, start: readProcessState(process.pid)?.start ?? "" };
  return self;
}

export function isProcessAlive({ pid, start }: ProcessIdentity): boolean {
  if (start === "") return answersSignal(pid);
  const state = readProcessState(pid);
  return state?.start === start && state.isAlive;
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
