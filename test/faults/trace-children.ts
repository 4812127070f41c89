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
  module.spawn = (file, args, options, ...rest) => {
    const child = spawn(file, args, traced(file, options, programs), ...rest);
    const isToldLater = file === "sh" && String(args) === "-s";
    if (isToldLater) traceCommands(child as ChildProcess.ChildProcess, options, programs);
    return child;
  };
  module.execFile = (file, args, options, ...rest) =>
    execFile(file, args, traced(file, options, programs), ...rest);
  syncBuiltinESMExports();
}

function traced(file: unknown, options: unknown, programs: string): unknown {
  if (!tracing.isOn || !PROGRAMS.has(String(file))) return options;
  const { env = {}, ...rest } = options as Environment;
  return { ...rest, env: { ...env, ...instructions(env, programs) } };
}

/** A shell that stays is told with each command what to do with it. */
function traceCommands(
  { stdin }: ChildProcess.ChildProcess,
  options: unknown,
  programs: string,
): void {
  if (stdin === null) return;
  const { env = {} } = options as Environment;
  const write = stdin.write.bind(stdin) as (text: string) => boolean;
  stdin.write = (text: string) => {
    const settings = tracing.isOn ? Object.entries(instructions(env, programs)) : [];
    const exports = settings.map(([name, value]) => `export ${name}='${value}'\n`).join("");
    return write(`unset FAULT_MODE FAULT_KEY\n${exports}${text}`);
  };
}

interface Environment {
  readonly env?: Readonly<Record<string, string>>;
}

/** For the script in the place of the program that is started next. */
function instructions(env: Readonly<Record<string, string>>, programs: string) {
  tracing.started++;
  const faults = Object.entries(process.env).filter(([name]) => name.startsWith("FAULT_"));
  return {
    ...(Object.fromEntries(faults) as Record<string, string>),
    FAULT_CHILD: String(tracing.started),
    PATH: `${programs}:${env["PATH"] ?? ""}`,
    GIT_EXEC_PATH: programs, // git starts its own helpers from there
  };
}
