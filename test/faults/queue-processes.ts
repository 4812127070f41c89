// Starts processes that run jobs, beside the engine or server of a fault test.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface QueueWorkerPlan {
  readonly databaseUrl: string;
  /** Shared with the server of the same host. */
  readonly data: string;
  readonly flags: Readonly<Record<string, string | boolean>>;
  /** Shorter leases than the product's. */
  readonly times?: { leaseMs: number; renewEveryMs: number; stopBeforeEndMs: number } | undefined;
  /** Its warnings go to standard error. */
  readonly isLoud?: boolean | undefined;
}

export interface QueueWorker {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exit: Promise<number | string>;
  /** Resolves when it takes jobs, or was killed before; one that ends otherwise is an error. */
  readonly ready: Promise<void>;
}

export function startQueueWorker(plan: QueueWorkerPlan): QueueWorker {
  const script = join(import.meta.dirname, "queue-worker.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, JSON.stringify(plan)], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const ended = exit.then((code) => {
    if (code !== "SIGKILL") throw new Error(`a worker ended with ${code} while it started`);
  });
  const ready = Promise.race([once(child.stdout, "data").then(() => {}), ended]);
  ended.catch(() => {}); // told by `ready`, if it is in time
  ready.catch(() => {}); // and there by whoever waits for it
  return { child, pid: child.pid ?? -1, exit, ready };
}

export async function stopQueueWorkers(workers: readonly QueueWorker[]): Promise<string[]> {
  for (const { child } of workers) child.kill("SIGTERM");
  const codes = await Promise.all(workers.map(({ exit }) => exit));
  return codes.filter((code) => code !== 0).map((code) => `a worker ended with ${code}`);
}

/** How processes of the same machine reach the embedded database of a data directory. */
export function embeddedDatabaseUrl(socketDirectory: string): string {
  return `postgres://croft@${encodeURIComponent(socketDirectory)}/croft`;
}
