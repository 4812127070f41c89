// What a worker has taken: the attempts that run in its slots, a few that wait for one, and results that are not told yet.
import type { AttemptResult, ClaimedJob, RunningAttempt, StopReason } from "./run-attempt.ts";

export interface HandOptions {
  readonly slots: number;
  readonly begin: (job: ClaimedJob) => Pick<RunningAttempt, "ended" | "stop">;
  /** There are results; `isLow` when it is time to ask for more. */
  readonly onEnded: (isLow: boolean) => void;
}

/** A job that ends within it is short: to ask for the next one would take as long. */
const SHORT_MS = 10;
const AHEAD_A_SLOT = 2;
/** What was seen waiting twice goes back: the slots are taken by jobs that are not short after all. */
const LOOK_EVERY_MS = 50;

/**
 * As many as there are slots, and no more, is what a worker takes, until as many jobs in a row as it has slots were short.
 * Then it takes some ahead, so that it works while it asks, and asks for many at once: twice as many jobs a second with
 * ten slots (measured). They count as running for every limit. Price: a lane that is at its limit gets its next turn a few
 * milliseconds later. With one slot nothing is taken ahead: there the order is what matters.
 */
export class Hand {
  readonly #options: HandOptions;
  readonly #running = new Map<string, Pick<RunningAttempt, "ended" | "stop">>();
  #waiting: ClaimedJob[] = [];
  #results: AttemptResult[] = [];
  #seenWaiting = new Set<ClaimedJob>();
  #shortInARow = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HandOptions) {
    this.#options = options;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get isEmpty(): boolean {
    return this.#running.size + this.#waiting.length + this.#results.length === 0;
  }

  get freeSlots(): number {
    return this.#isClosed ? 0 : this.#options.slots - this.#running.size;
  }

  /** How many it would take now. */
  get room(): number {
    if (this.#isClosed) return 0;
    const { slots } = this.#options;
    const ahead = slots > 1 && this.#shortInARow >= slots ? AHEAD_A_SLOT * slots : 0;
    return Math.max(0, this.freeSlots + ahead - this.#waiting.length);
  }

  /** Also of those that wait. */
  ids(): string[] {
    return [...this.#running.keys(), ...this.#waiting.map(({ id }) => id)];
  }

  /** While there are results to tell they only get in line: they begin while those are told, see `begin`. */
  take(jobs: readonly ClaimedJob[]): void {
    for (const job of jobs) {
      const at = this.#waiting.findIndex((other) => other.class < job.class);
      this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, job);
    }
    if (this.#isClosed)
      this.#giveBack(this.#waiting); // they were on their way
    else if (this.hasResults) this.#options.onEnded(true);
    else this.#fill();
  }

  /** What is in line, as far as there are slots. */
  begin(): void {
    this.#fill();
  }

  get hasResults(): boolean {
    return this.#results.length > 0;
  }

  takeResults(): AttemptResult[] {
    return this.#results.splice(0);
  }

  /** They could not be told. */
  putBack(results: readonly AttemptResult[]): void {
    this.#results.unshift(...results);
  }

  /** False when it is not here. */
  stop(id: string, reason: "cancelled"): boolean {
    const running = this.#running.get(id);
    running?.stop(reason);
    const waiting = this.#waiting.find((job) => job.id === id);
    if (waiting !== undefined) this.#end([waiting], reason, "cancelled before it started");
    return running !== undefined || waiting !== undefined;
  }

  stopAll(reason: StopReason): void {
    for (const attempt of this.#running.values()) attempt.stop(reason);
  }

  /** Takes nothing more; what has not begun goes back at once. */
  close(): void {
    this.#isClosed = true;
    this.#giveBack(this.#waiting);
  }

  /** Of what it has lost nothing is told. */
  async abandon(): Promise<void> {
    this.#isClosed = true;
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.stopAll("lost");
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    this.#results = [];
  }

  #fill(): void {
    while (this.#running.size < this.#options.slots) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#start(job);
    }
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
  }

  #start(job: ClaimedJob): void {
    const beganAtMs = performance.now();
    const attempt = this.#options.begin(job);
    this.#running.set(job.id, attempt);
    void attempt.ended.then((result) => {
      this.#running.delete(job.id);
      this.#results.push(result);
      const isShort = performance.now() - beganAtMs < SHORT_MS;
      this.#shortInARow = isShort ? this.#shortInARow + 1 : 0;
      this.#fill();
      this.#options.onEnded(this.#waiting.length <= this.#options.slots);
    });
  }

  /** Twice, so that nothing is given back because this process itself was held up. */
  #look(): void {
    this.#timer = undefined;
    this.#giveBack(this.#waiting.filter((job) => this.#seenWaiting.has(job)));
    this.#seenWaiting = new Set(this.#waiting);
    this.#fill();
  }

  #giveBack(jobs: readonly ClaimedJob[]): void {
    if (jobs.length === 0) return;
    this.#shortInARow = 0;
    this.#end(jobs, "drained", "its worker had no slot for it after all");
  }

  #end(jobs: readonly ClaimedJob[], reason: "cancelled" | "drained", message: string): void {
    const ended = new Set(jobs);
    this.#waiting = this.#waiting.filter((job) => !ended.has(job));
    for (const { id, owner, lane_id, attempt } of ended) {
      const error = { code: reason, class: reason, message };
      this.#results.push({ id, owner, lane_id, attempt, outcome: reason, class: reason, error });
    }
    this.#options.onEnded(true);
  }
}
