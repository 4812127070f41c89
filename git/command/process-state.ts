// What the kernel tells everybody about a process; undefined where there is none, or no /proc.
import { readFileSync } from "node:fs";

export interface ProcessState {
  /** As the kernel keeps it: at most 15 characters. */
  readonly program: string;
  readonly parent: number;
  readonly group: number;
  /** Pages that its children had to wait for, as far as it has collected them: some for each, however short it was. */
  readonly childFaults: number;
  /** In ticks since the boot; with the number it names a process for good. */
  readonly start: string;
  /** False for a dead process that nobody has collected yet. */
  readonly isAlive: boolean;
}

/** pid (program) state parent group …; the program's name may have spaces and brackets. */
export function readProcessState(pid: number | string): ProcessState | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where /proc is mounted with `hidepid`, processes of others are not to be seen.
    if (["ENOENT", "ESRCH", "EPERM", "EACCES"].includes(code ?? "")) return undefined;
    throw error;
  }
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  return {
    program: text.slice(text.indexOf("(") + 1, end),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    childFaults: Number(fields[8]),
    start: fields[19] ?? "",
    isAlive: fields[0] !== "Z" && fields[0] !== "X",
  };
}
