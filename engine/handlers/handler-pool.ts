// Processes of handlers, kept from one job to the next: to start one takes longer than most jobs.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@croft/git";
import { newId } from "../new-id.ts";
import type { HandlerCommand } from "./handler-command.ts";
import { HandlerEnded } from "./handler-ended.ts";
import { type HandledAttempt, HandlerProcess } from "./handler-process.ts";
import { type FreshHandlers, HandlerSuccessor } from "./handler-successor.ts";

export interface HandlerPoolOptions extends Omit<HandlerCommand, "directory"> {
  /** Below it each process has its own directory. */
  readonly root: string;
  /** How many jobs the worker has at a time. */
  readonly slots: number;
  /** How long a job waits for one that is in use, see below. */
  readonly patienceMs?: number;
  readonly onError: (error: unknown, what: string) => void;
}

interface Kept extends FreshHandlers {
  /** What stays in its memory is seen by the next job: only by one of the same owner. */
  readonly owner: string;
  /** Before the job that it has now. */
  wasThere: boolean;
  /** With all its jobs so far. */
  busyMs: number;
  timer?: NodeJS.Timeout;
}

interface Waiting {
  readonly owner: string;
  /** Without one: it goes to look elsewhere. */
  resolve(kept?: Kept): void;
}

/** Whatever leaks in a process goes with it. */
const JOBS_MAX = 100;
/**
 * From here on it goes when there is a successor in its place. Those of a pool get old together: replaced one after the
 * other, ahead of time, no job waits for a start, and no four of them take all cores from the server at once.
 */
const OLD_AT_JOBS = 50;
const IDLE_LIMIT_MS = 60_000;
/** Less than a start takes: where jobs are shorter, to wait for the next that is free is quicker, and spares a process. */
const PATIENCE_MS = 50;

export class HandlerPool {
  readonly #options: HandlerPoolOptions;
  /** The one that worked last is the last. */
  readonly #idle: Kept[] = [];
  readonly #busy = new Set<Kept>();
  readonly #ending = new Set<Promise<void>>();
  readonly #waiting = new Set<Waiting>();
  readonly #successor: HandlerSuccessor;
  #isClosed = false;

  constructor(options: HandlerPoolOptions) {
    this.#options = options;
    this.#successor = new HandlerSuccessor({ ...options, end: (fresh) => this.#end(fresh) });
  }

  /**
   * One that was kept may turn out to have ended just now: the job goes to another. One that was started for the job and
   * ends before it begins would do so again; when the job is tried again, and how often, is told by its own rules.
   */
  async run(handled: HandledAttempt): Promise<unknown> {
    for (;;) {
      const kept = await this.#take(handled);
      try {
        return await this.#runIn(kept, handled);
      } catch (error) {
        handled.attempt.signal.throwIfAborted();
        const hasBegun = !(error instanceof HandlerEnded) || error.hasBegun;
        if (!kept.wasThere || hasBegun) throw error;
      }
    }
  }

  async #runIn(kept: Kept, handled: HandledAttempt): Promise<unknown> {
    const { attempt } = handled;
    let isGood = false;
    const begunAtMs = performance.now();
    try {
      const result = await kept.handlers.run(handled);
      attempt.signal.throwIfAborted();
      const { handlers } = kept;
      const isDue = handlers.jobs >= (this.#successor.isReady ? OLD_AT_JOBS : JOBS_MAX);
      isGood = handlers.isFit && !isDue && !(await handlers.hasCompany());
      return result;
    } finally {
      this.#busy.delete(kept);
      kept.busyMs += performance.now() - begunAtMs;
      if (kept.handlers.jobs >= OLD_AT_JOBS) this.#successor.sendFor();
      const [waiting] = [...this.#waiting].filter(({ owner }) => owner === kept.owner);
      if (isGood && !this.#isClosed) this.#keep(kept, waiting);
      else {
        waiting?.resolve();
        await this.#end(kept);
      }
    }
  }

  /** Ends all of them, whatever they do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const kept of [...this.#idle.splice(0), ...this.#busy]) void this.#end(kept);
    await this.#successor.close();
    await Promise.all(this.#ending);
  }

  /** It is busy from here on: in between nobody would find it to end it. */
  async #take({ attempt }: HandledAttempt): Promise<Kept> {
    let kept = this.#takeIdle(attempt.owner) ?? (await this.#untilFree(attempt.owner));
    if (kept === undefined) {
      await this.#successor.untilReady(attempt.signal);
      kept = this.#takeIdle(attempt.owner) ?? this.#takeSuccessor(attempt.owner);
    }
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

  /** Undefined when none is expected soon, or none came. */
  async #untilFree(owner: string): Promise<Kept | undefined> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const isQuick = (kept: Kept) => kept.wasThere && kept.busyMs < patienceMs * kept.handlers.jobs;
    if (![...this.#busy].some((kept) => kept.owner === owner && isQuick(kept))) return undefined;
    let waiting: Waiting | undefined;
    let patience: NodeJS.Timeout | undefined;
    const free = await new Promise<Kept | undefined>((resolve) => {
      waiting = { owner, resolve };
      this.#waiting.add(waiting);
      patience = setTimeout(() => resolve(undefined), patienceMs);
    });
    clearTimeout(patience);
    if (waiting !== undefined) this.#waiting.delete(waiting);
    return free;
  }

  #takeSuccessor(owner: string): Kept | undefined {
    const fresh = this.#successor.take();
    if (fresh === undefined) return undefined;
    this.#makeRoom();
    return { ...fresh, owner, wasThere: true, busyMs: 0 };
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
      const kept = { handlers, directory, owner, wasThere: false, busyMs: 0 };
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

  #keep(kept: Kept, waiting: Waiting | undefined): void {
    kept.wasThere = true;
    if (waiting !== undefined) {
      this.#waiting.delete(waiting);
      this.#busy.add(kept);
      waiting.resolve(kept);
      return;
    }
    kept.timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(kept), 1);
      void this.#end(kept);
    }, IDLE_LIMIT_MS);
    kept.timer.unref();
    this.#idle.push(kept);
  }

  #end({ handlers, directory }: FreshHandlers): Promise<void> {
    const ended = handlers
      .end()
      .then(() => removeTree(directory))
      .catch((error) =>
        this.#options.onError(error, "a process of handlers did not end as it should"),
      )
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return ended;
  }
}
