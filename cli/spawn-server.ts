// Starts this same command once more, as a server in the background.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { serverEnvironment } from "./read-config.ts";

/** In a session of its own: neither Ctrl-C nor the end of the terminal reaches it. Nothing secret in its arguments. */
export function spawnServer(log: string, args: readonly string[]): ChildProcess {
  const descriptor = openSync(log, "a", 0o600);
  try {
    const [, command = ""] = process.argv;
    const child = spawn(process.execPath, [...process.execArgv, command, ...args], {
      ...{ cwd: "/", detached: true, env: serverEnvironment() },
      stdio: ["ignore", descriptor, descriptor],
    });
    child.unref();
    return child;
  } finally {
    closeSync(descriptor);
  }
}
