// Which processes of this machine have a word in their arguments or environment.
import { readdirSync, readFileSync } from "node:fs";
import { readProcessState } from "../../git/command/process-state.ts";

/** Living ones, besides this process itself; as `pid: arguments`. */
export function findProcesses(words: readonly string[]): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const text = read(pid, "cmdline") + read(pid, "environ");
      return words.some((word) => text.includes(word)) && readProcessState(pid)?.isAlive === true;
    })
    .map((pid) => `${pid}: ${read(pid, "cmdline").replaceAll("\0", " ")}`);
}

function read(pid: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // it has ended, or is somebody else's
  }
}
