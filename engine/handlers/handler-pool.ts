// Processes of handlers, kept from one job to the next: to start one takes longer than most jobs.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../new-id.ts";
import type { HandlerCommand } from "./handler-command.ts";
import { type HandledAttempt, HandlerProcess, NotBegun } from "./handler-process.ts";

export interface HandlerPoolOptions extends Omit<HandlerCommand, "directory"> {
  /** Below it each process has its own directory. */
  readonly root: string;
  /** How many jobs the worker has at a time. */
  readonly slots: number;
  readonly onError: (error: unknown) => void;
}

interface Kept {
  readonly handlers: HandlerProcess;
  readonly directory: string;
  /** What stays in its memory is seen by the next job: only by one of the same owner. */
  readonly owner: string;
  timer?: NodeJS.Timeout;
}

/** Whatever leaks in a process goes with it. */
const JOBS_MAX = 100;
const IDLE_LIMIT_MS = 60_000;
/** How often a process that was kept may turn out to have ended just now. */
const TRIES_MAX = 5;

export class HandlerPool {
  readonly #options: HandlerPoolOptions;
  /** The one that worked last is the last. */
  readonly #idle: Kept[] = [];
  readonly #busy = new Set<Kept>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: HandlerPoolOptions) {
    this.#options = options;
  }

  async run(handled: HandledAttempt): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#runOnce(handled);
      } catch (error) {
        handled.attempt.signal.throwIfAborted();
        if (!(error instanceof NotBegun) || tries === TRIES_MAX) throw error;
      }
    }
  }

  async #runOnce(handled: HandledAttempt): Promise<unknown> {
    const { attempt } = handled;
    const kept = await this.#take(handled);
    this.#busy.add(kept);
    let isGood = false;
    try {
      const result = await kept.handlers.run(handled);
      attempt.signal.throwIfAborted();
      isGood = kept.handlers.isFit && kept.handlers.jobs < JOBS_MAX && !kept.handlers.hasCompany();
      return result;
    } finally {
      this.#busy.delete(kept);
      if (isGood && !this.#isClosed) this.#keep(kept);
      else await this.#end(kept);
    }
  }

  /** Ends all of them, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const kept of [...this.#idle.splice(0), ...this.#busy]) void this.#end(kept);
    await Promise.all(this.#ending);
  }

  async #take({ attempt }: HandledAttempt): Promise<Kept> {
    const { owner } = attempt;
    for (;;) {
      const at = this.#idle.findLastIndex((kept) => kept.owner === owner);
      if (at === -1) return await this.#start(attempt);
      for (const kept of this.#idle.splice(at, 1)) {
        clearTimeout(kept.timer);
        if (!kept.handlers.isFit)
          void this.#end(kept); // it fell after its last job
        else {
          await attempt.guard(kept.directory, process.getuid?.() ?? 0);
          return kept;
        }
      }
    }
  }

  /** Guarded before it begins: a worker that is stopped in this moment must not leave it behind. */
  async #start(attempt: HandledAttempt["attempt"]): Promise<Kept> {
    const { owner, signal } = attempt;
    if (this.#isClosed) throw new Error("the handlers are being shut down");
    this.#makeRoom();
    const directory = join(this.#options.root, newId());
    await mkdir(directory, { mode: 0o700 });
    try {
      await attempt.guard(directory, process.getuid?.() ?? 0);
      const handlers = await HandlerProcess.start({ ...this.#options, directory }, signal);
      return { handlers, directory, owner };
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** One a slot: the one that has been idle longest gives its place to another owner's. */
  #makeRoom(): void {
    while (this.#idle.length > 0 && this.#idle.length + this.#busy.size >= this.#options.slots) {
      const oldest = this.#idle.shift();
      if (oldest === undefined) return;
      clearTimeout(oldest.timer);
      void this.#end(oldest);
    }
  }

  #keep(kept: Kept): void {
    kept.timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(kept), 1);
      void this.#end(kept);
    }, IDLE_LIMIT_MS);
    kept.timer.unref();
    this.#idle.push(kept);
  }

  #end({ handlers, directory }: Kept): Promise<void> {
    const ended = handlers
      .end()
      .then(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
      .catch(this.#options.onError)
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return ended;
  }
}
