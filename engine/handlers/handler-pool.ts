// Processes of handlers, kept from one job to the next: to start one takes longer than most jobs.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@croft/git";
import { newId } from "../new-id.ts";
import type { HandlerCommand } from "./handler-command.ts";
import { HandlerEnded } from "./handler-ended.ts";
import { type HandledAttempt, HandlerProcess } from "./handler-process.ts";

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

  /**
   * One that was kept may turn out to have ended just now: the job goes to another. One that was started for the job and
   * ends before it begins would do so again; when the job is tried again, and how often, is told by its own rules.
   */
  async run(handled: HandledAttempt): Promise<unknown> {
    for (;;) {
      const kept = await this.#take(handled);
      const isNew = kept.handlers.jobs === 0;
      try {
        return await this.#runIn(kept, handled);
      } catch (error) {
        handled.attempt.signal.throwIfAborted();
        const hasBegun = !(error instanceof HandlerEnded) || error.hasBegun;
        if (isNew || hasBegun) throw error;
      }
    }
  }

  async #runIn(kept: Kept, handled: HandledAttempt): Promise<unknown> {
    const { attempt } = handled;
    let isGood = false;
    try {
      const result = await kept.handlers.run(handled);
      attempt.signal.throwIfAborted();
      const { handlers } = kept;
      isGood = handlers.isFit && handlers.jobs < JOBS_MAX && !(await handlers.hasCompany());
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

  /** It is busy from here on: in between nobody would find it to end it. */
  async #take({ attempt }: HandledAttempt): Promise<Kept> {
    const kept = this.#takeIdle(attempt.owner);
    if (kept === undefined) return await this.#start(attempt);
    this.#busy.add(kept);
    try {
      await attempt.guard(kept.directory, process.getuid?.() ?? 0);
      return kept;
    } catch (error) {
      this.#busy.delete(kept);
      await this.#end(kept); // the job is not this worker's any more, or nobody watches over it
      throw error;
    }
  }

  #takeIdle(owner: string): Kept | undefined {
    for (;;) {
      const at = this.#idle.findLastIndex((kept) => kept.owner === owner);
      const [kept] = at === -1 ? [] : this.#idle.splice(at, 1);
      if (kept === undefined) return undefined;
      clearTimeout(kept.timer);
      if (kept.handlers.isFit) return kept;
      void this.#end(kept); // it fell after its last job
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
      const kept = { handlers, directory, owner };
      this.#busy.add(kept);
      return kept;
    } catch (error) {
      await removeTree(directory);
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
      .then(() => removeTree(directory))
      .catch(this.#options.onError)
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return ended;
  }
}
