// Lets the programs that a process starts run under strace: each is numbered, and a script in its place decides what happens to it.
import type * as ChildProcess from "node:child_process";
import { createRequire, syncBuiltinESMExports } from "node:module";

/** Those whose system calls change something on the disk. */
const PROGRAMS = new Set(["git", "mount", "umount", "sync"]);

/** Off until the operation begins: what comes before and after it is not killed. */
export const tracing = { isOn: false, started: 0 };

/** `programs` is the directory of the scripts. To be called before anything is started. */
export function traceChildren(programs: string): void {
  const module = createRequire(import.meta.url)("node:child_process") as {
    -readonly [Name in keyof typeof ChildProcess]: (...args: unknown[]) => unknown;
  };
  const { spawn, execFile } = module;
  module.spawn = (file, args, options, ...rest) =>
    spawn(file, args, traced(file, options, programs), ...rest);
  module.execFile = (file, args, options, ...rest) =>
    execFile(file, args, traced(file, options, programs), ...rest);
  syncBuiltinESMExports();
}

function traced(file: unknown, options: unknown, programs: string): unknown {
  if (!tracing.isOn || !PROGRAMS.has(String(file))) return options;
  const { env = {}, ...rest } = options as { env?: Record<string, string> };
  tracing.started++;
  const instructions = Object.entries(process.env).filter(([name]) => name.startsWith("FAULT_"));
  return {
    ...rest,
    env: {
      ...env,
      ...Object.fromEntries(instructions),
      FAULT_CHILD: String(tracing.started),
      PATH: `${programs}:${env["PATH"] ?? ""}`,
      GIT_EXEC_PATH: programs, // git starts its own helpers from there
    },
  };
}
