// Runs the built `croft` command on a terminal, as somebody who looks at it.
import { spawn } from "node:child_process";
import { croftCommand, type RunOptions } from "./croft-process.ts";

export interface TerminalProcess {
  /** All that the terminal was told so far, with what moves its cursor. */
  shown(): string;
  type(keys: string): void;
  /** Resolves with the exit code of the command. */
  readonly exit: Promise<number | null>;
}

export const CTRL_C = "\x03";

/** Arguments must need no quotes. */
export function runInTerminal(
  args: readonly string[],
  { env = {}, cwd }: Pick<RunOptions, "env" | "cwd"> = {},
): TerminalProcess {
  const croft = `'${process.execPath}' '${croftCommand}' ${args.join(" ")}`;
  const child = spawn("script", ["-qfec", `stty rows 20 cols 90; exec ${croft}`, "/dev/null"], {
    env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "inherit"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return {
    shown: () => shown,
    type: (keys) => void child.stdin.write(keys),
    exit: new Promise((resolve) => void child.once("close", resolve)),
  };
}
