// A worker's right to run what it claimed: renewed by a thread of its own, given up in time when it cannot be.
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import type { LeaseMessage, LeaseOrder, LeaseThreadData } from "./lease-thread.ts";
import { monotonicMs } from "./monotonic-ms.ts";
import { startThread } from "./start-thread.ts";

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
  readonly #watching = new Map<string, () => void>();
  /** How many attempts have it watched: a process of handlers goes from one to the next. */
  readonly #wishes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #onEnded = () => {};
  #closing: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    const { database, workerId, times } = options;
    this.#endsAtMs = monotonicMs() + times.leaseMs;
    const { leaseMs, renewEveryMs, stopBeforeEndMs } = times;
    const workerData: LeaseThreadData = {
      ...{ target: database.target, workerId, leaseMs, renewEveryMs },
      ...{ watchdogMs: leaseMs - stopBeforeEndMs, watchdog: watchdogCommand() },
    };
    this.#thread = startThread("lease-thread", import.meta.url, { workerData });
    this.#thread.on("message", (message: LeaseMessage) => this.#hear(message));
    this.#thread.on("error", (error) => {
      options.log.error({ err: error }, "the thread that renews the lease has ended");
    });
    this.#watch();
  }

  /** Whatever this user runs in the directory ends when the lease does, even if this process is stopped. */
  async watch(directory: string, uid: number): Promise<void> {
    this.#wishes.set(directory, (this.#wishes.get(directory) ?? 0) + 1);
    const watched = new Promise<void>((resolve) => this.#watching.set(directory, resolve));
    if (!this.#isOver) {
      this.#order({ kind: "watch", directory, uid });
      await watched;
    }
    if (this.#isOver) throw new Error("the lease is over");
  }

  forget(directory: string): void {
    const left = (this.#wishes.get(directory) ?? 0) - 1;
    if (left > 0) {
      this.#wishes.set(directory, left);
      return;
    }
    this.#wishes.delete(directory);
    this.#order({ kind: "forget", directory });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#letGo();
    const ended = new Promise<void>((resolve) => {
      this.#onEnded = resolve;
    });
    this.#order({ kind: "end" });
    await Promise.race([ended, once(this.#thread, "exit")]);
    await this.#thread.terminate();
  }

  #order(order: LeaseOrder): void {
    this.#thread.postMessage(order);
  }

  #hear(message: LeaseMessage): void {
    if (message.kind === "ended") this.#onEnded();
    if (this.#isOver) return;
    switch (message.kind) {
      case "watched":
        this.#watching.get(message.directory)?.();
        this.#watching.delete(message.directory);
        break;
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
    this.#letGo();
    this.#options.onLost(reason);
  }

  #letGo(): void {
    for (const resolve of this.#watching.values()) resolve();
    this.#watching.clear();
  }
}

/** The product has it beside itself as JavaScript; from the sources it first has to learn TypeScript. */
function watchdogCommand(): string[] {
  const isSource = import.meta.url.endsWith(".ts");
  const url = new URL(isSource ? "./watchdog.ts" : "./watchdog.js", import.meta.url);
  const loader = isSource ? ["--import", import.meta.resolve("tsx")] : [];
  return [process.execPath, ...loader, fileURLToPath(url)];
}
