// How a process of handlers is started: with nothing of the server's environment, and no word of it to other users.
import type { SpawnOptions } from "node:child_process";
import { fileURLToPath } from "node:url";
import { markingScript, WORKSPACE_VARIABLE } from "@croft/git";

export interface HandlerCommand {
  /** The project's configuration as one file of JavaScript. */
  readonly bundle: string;
  /** Where the project is. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  /** Of this process alone; all that it starts is found by it. */
  readonly directory: string;
}

/** Where the two talk to each other, by the number of the descriptor. */
export const CHANNEL = 3;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** One that falls leaves no picture of its memory in the project's directory. */
const WITHOUT_CORE = "ulimit -c 0";

export function handlerCommand(command: HandlerCommand): {
  readonly program: string;
  readonly args: string[];
  readonly options: SpawnOptions;
} {
  const { bundle, cwd, environment, memoryMb, directory } = command;
  const limits = [`--max-old-space-size=${memoryMb}`, "--enable-source-maps"];
  const script = `${WITHOUT_CORE}; ${markingScript(directory)}; exec "$0" "$@"`;
  const told = [bundle, String(process.pid), String(memoryMb)];
  return {
    program: "/bin/sh",
    args: ["-c", script, process.execPath, ...limits, ...programOf(), ...told],
    options: {
      ...{ cwd, detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] },
      env: {
        ...{ PATH, LANG: "C.UTF-8", HOME: directory, ...environment },
        ...{ TMPDIR: directory, [WORKSPACE_VARIABLE]: directory },
      },
    },
  };
}

/** The product has it beside itself as JavaScript; from the sources it first has to learn TypeScript. */
function programOf(): string[] {
  const isSource = import.meta.url.endsWith(".ts");
  const url = new URL(isSource ? "./handler-child.ts" : "./handler-child.js", import.meta.url);
  const loader = isSource ? ["--import", import.meta.resolve("tsx")] : [];
  return [...loader, fileURLToPath(url)];
}
