// What bubblewrap tells of the command it runs: the first process of the sandbox, and how the command ended.
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { ProcessIdentity } from "../command/process-identity.ts";
import { readProcessState } from "../command/process-state.ts";

export interface SandboxStatus {
  /** When it is gone, all processes of the sandbox are. Undefined when none was started. */
  readonly init: Promise<ProcessIdentity | undefined>;
  /** Undefined while the command runs, and for ever when it was never begun. */
  exitCode(): number | undefined;
}

/** From the descriptor that `--json-status-fd` names; the command itself does not have it. */
export function readSandboxStatus(child: ChildProcess, descriptor: number): SandboxStatus {
  const stream = child.stdio[descriptor] as Readable;
  let text = "";
  const find = (key: string) => new RegExp(`"${key}": (\\d+)`).exec(text)?.[1];
  const init = new Promise<number | undefined>((resolve) => {
    stream.on("data", (chunk) => {
      text += chunk;
      const pid = find("child-pid");
      if (pid !== undefined) resolve(Number(pid));
    });
    stream.on("error", () => resolve(undefined));
    stream.on("close", () => resolve(undefined));
    child.once("error", () => resolve(undefined));
  });
  return {
    init: init.then((pid) => (pid === undefined ? undefined : identify(pid))),
    exitCode: () => {
      const code = find("exit-code");
      return code === undefined ? undefined : Number(code);
    },
  };
}

function identify(pid: number): ProcessIdentity | undefined {
  const state = readProcessState(pid);
  return state && { pid, start: state.start };
}
