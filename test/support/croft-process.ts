// Runs the built `croft` command as a process of its own, as a user would.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../scripts/source-files.ts";
import { waitUntil } from "./wait-until.ts";

export interface CroftProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** All it wrote so far, to both streams. */
  output(): string;
  stdout(): string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exit: Promise<number | string>;
}

export const croftCommand = join(projectRoot, "cli/dist/croft.js");

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Program and leading arguments that run the command, e.g. to change the user. */
  readonly wrapper?: readonly string[];
  readonly command?: string;
}

export function runCroft(args: readonly string[], options: RunOptions = {}): CroftProcess {
  const { env = {}, cwd, wrapper = [], command = croftCommand } = options;
  const [program = process.execPath, ...rest] = [...wrapper, process.execPath, command, ...args];
  const child = spawn(program, rest, {
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let output = "";
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  return {
    child,
    pid: child.pid ?? -1,
    output: () => output,
    stdout: () => stdout,
    exit: new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
    }),
  };
}

export interface RunningServer extends CroftProcess {
  readonly url: string;
  readonly data: string;
  /** The token of the local CLI. */
  readonly token: string;
  /** SIGTERM, then its end. */
  stop(): Promise<number | string>;
}

/** Servers that run, and those that ended since they were last asked for: a test that fails shows what they said. */
const servers = new Map<CroftProcess, { hasEnded: boolean }>();

export function serversSaid(): string[] {
  const said = [...servers.keys()].map((server) => server.output());
  for (const [server, { hasEnded }] of servers) if (hasEnded) servers.delete(server);
  return said;
}

/** Starts `croft serve` on a free port and waits until it says that it is ready. */
export async function startServer(data: string, options: RunOptions = {}): Promise<RunningServer> {
  const server = runCroft(["serve", "--data", data, "--http-port", "0"], options);
  const state = { hasEnded: false };
  servers.set(server, state);
  let ended: number | string | undefined;
  void server.exit.then((code) => {
    ended = code;
    state.hasEnded = true;
  });
  const url = await waitUntil("the server's address", () => {
    if (ended !== undefined) throw new Error(`croft serve ended (${ended}): ${server.output()}`);
    return /Dashboard {2}(\S+)/.exec(server.stdout())?.[1];
  });
  return {
    ...server,
    url,
    data,
    token: readFileSync(join(data, "run/cli-token"), "utf8").trim(),
    stop: async () => {
      server.child.kill("SIGTERM");
      return await server.exit;
    },
  };
}
