// Runs a small program of the system (sync, rm) and says how it went.
import { execFile } from "node:child_process";

export interface ToolOptions {
  readonly cwd?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface ToolOutcome {
  /** 127 when the program is not installed. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const TOOL_TIMEOUT_MS = 30_000;
export const TOOL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export async function runTool(
  program: string,
  args: readonly string[],
  { cwd = "/", timeoutMs = TOOL_TIMEOUT_MS }: ToolOptions = {},
): Promise<ToolOutcome> {
  const options = {
    cwd,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    env: { PATH: TOOL_PATH, LC_ALL: "C.UTF-8" },
  } as const;
  return await new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else resolve({ exitCode: exitCodeOf(error), stdout, stderr: stderr || error.message });
    });
  });
}

function exitCodeOf(error: { code?: unknown }): number {
  if (typeof error.code === "number") return error.code;
  return error.code === "ENOENT" ? 127 : -1;
}
