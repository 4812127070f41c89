// Processes that check inputs: one is kept ready, more come when those there are have work for longer.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@croft/git";
import { within } from "../jobs/input-schema.ts";
import { newId } from "../new-id.ts";
import type { HandlerCommand } from "./handler-command.ts";
import { HandlerProcess } from "./handler-process.ts";

export interface CheckerPoolOptions extends Omit<HandlerCommand, "directory"> {
  /** Below it each process has its own directory. */
  readonly root: string;
  /** One is there before anybody asks, and stays when nobody asks any more. */
  readonly isWarm: boolean;
  readonly onError: (error: unknown) => void;
}

/** One check at a time: whatever it does to the process, it is alone there. */
export interface Checker {
  readonly schemas: HandlerProcess;
  readonly directory: string;
  timer?: NodeJS.Timeout;
}

interface Waiting {
  resolve(checker: Checker): void;
  reject(error: unknown): void;
}

/** A schema that asks elsewhere holds its process so long; they take some 50 MB each. */
const PROCESSES_MAX = 4;
/** Most checks are over in less: to wait for one is quicker than to start another. */
const PATIENCE_MS = 50;
const IDLE_LIMIT_MS = 60_000;
/** So long nobody starts another after one that could not be started: it would end the same way. */
const REST_MS = 1000;
/** Whatever leaks in a process goes with it. */
const CHECKS_MAX = 10_000;

export class CheckerPool {
  readonly #options: CheckerPoolOptions;
  readonly #closing = new AbortController();
  /** The one that worked last is the last. */
  readonly #idle: Checker[] = [];
  readonly #busy = new Set<Checker>();
  readonly #starting = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting = new Set<Waiting>();
  #patience: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown; readonly restUntil: number } | undefined;

  constructor(options: CheckerPoolOptions) {
    this.#options = options;
    if (options.isWarm) this.#start();
  }

  /** Rejects with the reason why none can be started, and when none is free in time. */
  async take(limitMs: number): Promise<Checker> {
    for (let checker = this.#idle.pop(); checker !== undefined; checker = this.#idle.pop()) {
      clearTimeout(checker.timer);
      this.#busy.add(checker);
      if (checker.schemas.isFit) return checker;
      void this.end(checker); // it fell after its last check
    }
    if (this.#failure !== undefined && this.#isResting) throw this.#failure.error;
    let waiting: Waiting | undefined;
    const free = new Promise<Checker>((resolve, reject) => {
      waiting = { resolve, reject };
      this.#waiting.add(waiting);
      this.#sendForMore();
    });
    try {
      return await within(limitMs, free);
    } finally {
      if (waiting !== undefined) this.#waiting.delete(waiting);
    }
  }

  /** After a check. What has started something ends with it; an old one goes when there is another in its place. */
  async give(checker: Checker): Promise<void> {
    const { schemas } = checker;
    const hasCompany = await schemas.hasCompany();
    const isOld = schemas.jobs >= CHECKS_MAX;
    const isSpare = isOld && this.#idle.length > 0;
    if (!schemas.isFit || hasCompany || isSpare) return await this.end(checker);
    if (isOld && this.#starting.size === 0) this.#start();
    this.#offer(checker);
  }

  /** One that is of no use any more. */
  async end(checker: Checker): Promise<void> {
    this.#busy.delete(checker);
    const ended = checker.schemas
      .end()
      .then(() => removeTree(checker.directory))
      .catch(this.#options.onError)
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    this.#sendForMore();
    await ended;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the handlers are being shut down"));
    clearTimeout(this.#patience);
    for (const waiting of this.#waiting) waiting.reject(this.#closing.signal.reason);
    await Promise.all(this.#starting);
    for (const checker of [...this.#idle.splice(0), ...this.#busy]) void this.end(checker);
    await Promise.all(this.#ending);
  }

  get #isResting(): boolean {
    const { restUntil = 0 } = this.#failure ?? {};
    return this.#count === 0 && performance.now() < restUntil;
  }

  get #count(): number {
    return this.#idle.length + this.#busy.size + this.#starting.size;
  }

  /** At once where there is none; else when those that are there are not free soon. */
  #sendForMore(): void {
    const isWanted = this.#waiting.size > 0;
    const isNeeded = isWanted || this.#options.isWarm;
    if (this.#count === 0 && isNeeded && !this.#isResting) this.#start();
    if (!isWanted || this.#count >= PROCESSES_MAX) return;
    this.#patience ??= setTimeout(() => {
      this.#patience = undefined;
      if (this.#waiting.size > this.#starting.size && this.#count < PROCESSES_MAX) this.#start();
      this.#sendForMore();
    }, PATIENCE_MS).unref();
  }

  #start(): void {
    if (this.#closing.signal.aborted) return;
    const started = this.#make()
      .then((checker) => {
        this.#starting.delete(started);
        this.#failure = undefined;
        this.#offer(checker);
      })
      .catch((error: unknown) => {
        this.#starting.delete(started);
        this.#failure = { error, restUntil: performance.now() + REST_MS };
        if (this.#count > 0) return;
        for (const waiting of this.#waiting) waiting.reject(error);
      });
    this.#starting.add(started);
  }

  async #make(): Promise<Checker> {
    const directory = join(this.#options.root, newId());
    await mkdir(directory, { mode: 0o700 });
    try {
      const command = { ...this.#options, directory };
      return { schemas: await HandlerProcess.start(command, this.#closing.signal), directory };
    } catch (error) {
      await removeTree(directory);
      throw error;
    }
  }

  #offer(checker: Checker): void {
    const [waiting] = this.#waiting;
    if (waiting === undefined) this.#keep(checker);
    else {
      this.#busy.add(checker);
      this.#waiting.delete(waiting);
      waiting.resolve(checker);
    }
  }

  #keep(checker: Checker): void {
    this.#busy.delete(checker);
    checker.timer = setTimeout(() => {
      if (this.#options.isWarm && this.#count === 1) return;
      this.#idle.splice(this.#idle.indexOf(checker), 1);
      void this.end(checker);
    }, IDLE_LIMIT_MS).unref();
    this.#idle.push(checker);
  }
}
