// A worker's right to run what it claimed: renewed by a thread of its own, given up in time when it cannot be.
import { Worker } from "node:worker_threads";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import type { LeaseMessage, LeaseThreadData } from "./lease-thread.ts";

/** They scale together: a renewal may fail three times, and two seconds are left to end what runs. */
export interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly stopBeforeEndMs: number;
}

export const LEASE_TIMES: LeaseTimes = {
  leaseMs: 10_000,
  renewEveryMs: 2000,
  stopBeforeEndMs: 2000,
};

export interface LeaseOptions {
  readonly database: Database;
  readonly log: Log;
  readonly workerId: string;
  readonly times: LeaseTimes;
  readonly onCancelled: (jobs: readonly string[]) => void;
  readonly onRenewed: () => void;
  /** Once: nothing that this worker claimed may go on. */
  readonly onLost: (reason: string) => void;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #thread: Worker;
  /** By the monotonic clock, counted from before the renewal was asked for. */
  #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    const { database, workerId, times } = options;
    this.#endsAtMs = monotonicMs() + times.leaseMs;
    const { leaseMs, renewEveryMs } = times;
    const data: LeaseThreadData = { target: database.target, workerId, leaseMs, renewEveryMs };
    this.#thread = startThread(data);
    this.#thread.on("message", (message: LeaseMessage) => this.#hear(message));
    this.#thread.on("error", (error) => {
      options.log.error({ err: error }, "the thread that renews the lease has ended");
    });
    this.#watch();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#thread.postMessage("end");
    await this.#thread.terminate();
  }

  #hear(message: LeaseMessage): void {
    if (this.#isOver) return;
    switch (message.kind) {
      case "renewed":
        this.#endsAtMs = message.askedAtMs + this.#options.times.leaseMs;
        this.#options.onRenewed();
        if (message.cancelled.length > 0) this.#options.onCancelled(message.cancelled);
        break;
      case "lost":
        this.#lose("the lease was given to others");
        break;
      case "failed":
        this.#options.log.warn({ reason: message.message }, "the lease could not be renewed");
        break;
    }
  }

  /** A timer that looks again when it fires, since the end moves on. */
  #watch(): void {
    this.#timer = setTimeout(
      () => {
        // After a handler has blocked the process, what the thread said meanwhile is heard first.
        setImmediate(() => {
          if (this.#isOver) return;
          if (this.#leftMs() > 0) this.#watch();
          else this.#lose("the lease could not be renewed in time");
        });
      },
      Math.max(0, this.#leftMs()),
    );
  }

  #leftMs(): number {
    return this.#endsAtMs - this.#options.times.stopBeforeEndMs - monotonicMs();
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.onLost(reason);
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** The product has it beside itself as JavaScript; from the sources the thread first has to learn TypeScript. */
function startThread(workerData: LeaseThreadData): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const url = new URL(isSource ? "./lease-thread.ts" : "./lease-thread.js", import.meta.url);
  if (!isSource) return new Worker(url, { workerData });
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const start = `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
  return new Worker(start, { eval: true, workerData });
}
