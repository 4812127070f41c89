// What the processes of this machine show of themselves while a test goes on: all arguments and environments that were seen.
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessTexts {
  /** Each that was seen so far, once. */
  readonly seen: ReadonlySet<string>;
  stop(): void;
}

const LOOK_EVERY_MS = 15;

/** Besides this process itself. */
export function watchProcesses(): ProcessTexts {
  const seen = new Set<string>();
  const look = () => {
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      for (const file of ["cmdline", "environ"]) seen.add(read(`/proc/${pid}/${file}`));
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return { seen, stop: () => clearInterval(timer) };
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // it has ended
  }
}
