// Processes that can be told from all others: each sleeps for a time that nobody else sleeps.
import { readdirSync, readFileSync } from "node:fs";
import { readProcessState } from "@croft/git";

export interface UniqueSleep {
  /** For a shell. */
  readonly command: string;
  readonly seconds: string;
}

export function uniqueSleep(): UniqueSleep {
  const seconds = String(1_000_000 + Math.floor(Math.random() * 100_000_000));
  return { command: `sleep ${seconds}`, seconds };
}

/** Numbers of those that live, in any namespace. */
export function sleepers({ seconds }: UniqueSleep): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [program = "", argument] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return program.endsWith("sleep") && argument === seconds;
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map(Number)
    .filter((pid) => readProcessState(pid)?.isAlive === true);
}
