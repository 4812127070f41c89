// Runs jobs: takes as many as it has free slots, keeps the right to them, and gives back what it cannot end in time.
import type { Assets } from "../assets/assets.ts";
import type { DatabaseListener } from "../database/database-listener.ts";
import type { Database } from "../database/open-database.ts";
import type { JobTypes } from "../jobs/job-type.ts";
import type { Log } from "../log.ts";
import { newId } from "../new-id.ts";
import { endDeadWorkers, type HostIdentity, type Neighbour } from "./end-dead-workers.ts";
import { Hand } from "./hand.ts";
import { LEASE_TIMES, Lease, type LeaseTimes } from "./lease.ts";
import { type ClaimedJob, RunningAttempt } from "./run-attempt.ts";
import { TurnTaker } from "./turn-taker.ts";
import {
  readCancelled,
  recordDraining,
  recordEnd,
  recordWorker,
  runsOthersThan,
} from "./worker-record.ts";

export interface WorkerOptions {
  readonly database: Database;
  readonly listener: DatabaseListener;
  readonly log: Log;
  readonly types: JobTypes;
  readonly assets: Assets;
  readonly host: HostIdentity;
  readonly version: string;
  readonly slots: number;
  /** Longest attempt of a job that does not say so itself. */
  readonly timeoutMs: number;
  readonly maxLost: number;
  readonly logBytesMax: number;
  readonly times?: LeaseTimes | undefined;
  /** Called when another worker of this host was found dead, before its jobs go to others. */
  readonly onDeadNeighbour?: ((process: Neighbour) => Promise<void>) | undefined;
}

/** Announcements are what wakes a worker; this is for those that were lost. */
const LOOK_EVERY_MS = 1000;
const AGAIN_AFTER_MS = 500;
/** For handlers that do not heed their signal, and a database that is away: then the jobs run again elsewhere. */
const SETTLE_LIMIT_MS = 10_000;

/*
 *   starting ──▶ working ──drain──▶ draining ──▶ ended
 *       ▲           │
 *       └── lost ───┘   everything ends, then a new worker with a new id begins
 */
export class JobWorker {
  readonly #options: WorkerOptions;
  readonly #turns: TurnTaker;
  readonly #deaf: (() => void)[] = [];
  #id = "";
  #hand: Hand;
  #lease: Lease | undefined;
  #isTurning = false;
  #isWanted = false;
  #mayHaveMissed = false;
  #isDraining = false;
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: WorkerOptions) {
    this.#options = options;
    this.#turns = new TurnTaker(options.database, [...options.types.keys()], options.maxLost);
    this.#hand = this.#newHand();
  }

  static async start(options: WorkerOptions): Promise<JobWorker> {
    const worker = new JobWorker(options);
    await worker.#register();
    const { listener } = options;
    worker.#deaf.push(
      listener.hear("croft_wake", () => worker.#look()),
      listener.hear("croft_cancel", (ids) => worker.#cancel(ids)),
    );
    worker.#look();
    return worker;
  }

  get id(): string {
    return this.#id;
  }

  get runningCount(): number {
    return this.#hand.runningCount;
  }

  /** Takes nothing more and waits for what runs; what has not ended by then is given back to the queue. */
  close(drainMs: number): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  async #close(drainMs: number): Promise<void> {
    this.#isDraining = true;
    this.#hand.close();
    await this.#tellDraining();
    await this.#settleAll(drainMs);
    for (const deafen of this.#deaf) deafen(); // until here: what runs can still be cancelled
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#lease?.close();
    try {
      await this.#endAs("drained", "it was shut down");
    } catch (error) {
      this.#options.log.warn({ err: error }, "the worker left without a word: its lease tells");
    } finally {
      await this.#turns.close();
    }
  }

  async #tellDraining(): Promise<void> {
    const { database, log } = this.#options;
    try {
      await recordDraining(database, this.#id);
    } catch (error) {
      log.warn({ err: error }, "the worker could not say that it is being shut down");
    }
  }

  async #register(): Promise<void> {
    const { database, log, host, version, slots, types, times = LEASE_TIMES } = this.#options;
    const workerId = newId();
    const abilities = { slots, types: [...types.keys()], version };
    await recordWorker(database, { workerId, host, ...abilities, leaseMs: times.leaseMs });
    this.#id = workerId;
    this.#lease = new Lease({
      ...{ database, log, workerId, times },
      onCancelled: (jobs) => this.#cancel(jobs),
      onRenewed: () => {
        void this.#lookAround();
        void this.#lookForUnheard(workerId);
      },
      onLost: (reason) => void this.#startAgain(reason),
    });
    log.info({ worker: workerId, slots }, "worker started");
  }

  /** Soon, and once, however often it is asked for. */
  #look(): void {
    this.#isWanted = true;
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => void this.#turn());
  }

  /**
   * What ends in the same moment goes into one turn: else the first of ten would go alone, and the others wait for it. What
   * has ended while a turn was taken goes at once.
   */
  async #turn(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isEnded && this.#lease !== undefined) {
        this.#isWanted = false;
        await this.#turnOnce(this.#id);
        if (this.#mayHaveMissed) await this.#stopCancelled(this.#id);
        if (!this.#hand.hasResults) await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      this.#isTurning = false;
      this.#onIdle?.();
    }
  }

  async #turnOnce(id: string): Promise<void> {
    clearTimeout(this.#timer);
    const hand = this.#hand;
    const results = hand.takeResults();
    const { freeSlots, room: slots } = hand;
    let lookAgainMs = LOOK_EVERY_MS;
    try {
      const known = () => hand.ids();
      const asked = this.#turns.take({ workerId: id, results, slots, known });
      setImmediate(() => hand.begin()); // the question is on its way by then: both work at the same time
      const turn = await asked;
      hand.take(turn.claimed);
      const wanted = Math.min(freeSlots, slots); // less what is in line for them
      if (turn.claimed.length > 0 && turn.claimed.length < wanted) this.#isWanted = true; // there may be more
      for (const { id: job, attempt } of turn.refused) {
        this.#options.log.warn({ job, attempt }, "a late result was refused");
      }
      if (turn.nextDueMs !== undefined) lookAgainMs = Math.min(lookAgainMs, turn.nextDueMs);
    } catch (error) {
      hand.putBack(results);
      lookAgainMs = AGAIN_AFTER_MS;
      this.#options.log.warn({ err: error }, "the queue cannot be reached at the moment");
    }
    this.#timer = setTimeout(() => this.#look(), lookAgainMs);
  }

  #begin(job: ClaimedJob): RunningAttempt {
    const guard = this.#lease;
    if (guard === undefined) throw new Error("a worker without a lease begins nothing");
    return new RunningAttempt(job, { ...this.#options, workerId: this.#id, guard });
  }

  #newHand(): Hand {
    return new Hand({
      slots: this.#options.slots,
      begin: (job) => this.#begin(job),
      onEnded: (isLow) => {
        if (isLow) this.#look();
        this.#onIdle?.();
      },
    });
  }

  #cancel(ids: readonly string[] | "*"): void {
    const elsewhere = ids === "*" ? ["*"] : ids.filter((id) => !this.#hand.stop(id, "cancelled"));
    if (elsewhere.length === 0) return;
    // One of them may be on its way to us in the turn that is being taken.
    this.#mayHaveMissed = true;
    this.#look();
  }

  async #stopCancelled(workerId: string): Promise<void> {
    this.#mayHaveMissed = false;
    const { database, log } = this.#options;
    try {
      for (const id of await readCancelled(database, workerId)) this.#hand.stop(id, "cancelled");
    } catch (error) {
      log.warn({ err: error }, "cancelled jobs are told with the next renewal");
    }
  }

  async #settleAll(drainMs: number): Promise<void> {
    let isPatient = true;
    const timers = [
      setTimeout(() => this.#hand.stopAll("drained"), drainMs),
      setTimeout(() => {
        isPatient = false;
        this.#onIdle?.();
      }, drainMs + SETTLE_LIMIT_MS),
    ];
    const isBusy = () => isPatient && (!this.#hand.isEmpty || this.#isTurning);
    this.#look();
    while (isBusy()) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    for (const timer of timers) clearTimeout(timer);
  }

  /** What it ran is others' now: first it ends, then this process may take part again, as another worker. */
  async #startAgain(reason: string): Promise<void> {
    const { log } = this.#options;
    log.error({ worker: this.#id, reason }, "the worker may not go on: its jobs are ended");
    const lease = this.#lease;
    this.#lease = undefined;
    await this.#hand.abandon();
    await lease?.close();
    this.#hand = this.#newHand();
    while (!this.#isEnded) {
      try {
        await this.#endAs("lost", reason);
        if (this.#isDraining) return this.#onIdle?.();
        await this.#register();
        return this.#look();
      } catch (error) {
        log.warn({ err: error }, "the worker cannot start again yet");
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
      }
    }
  }

  /** A turn may be carried out long after its connection broke. What seems unknown may also just be on its way to us. */
  async #lookForUnheard(workerId: string): Promise<void> {
    const { database, log } = this.#options;
    try {
      if (!(await runsOthersThan(database, workerId, this.#hand.ids()))) return;
      this.#turns.doubt();
      this.#look();
    } catch (error) {
      log.warn({ err: error }, "jobs that this worker may not know of could not be looked for");
    }
  }

  async #lookAround(): Promise<void> {
    const { database, host, maxLost, onDeadNeighbour, log } = this.#options;
    try {
      await endDeadWorkers(database, { host, maxLost, onDeadNeighbour, self: this.#id });
    } catch (error) {
      log.warn({ err: error }, "workers that have ended could not be looked for");
    }
  }

  async #endAs(outcome: "drained" | "lost", reason: string): Promise<void> {
    const { database, maxLost } = this.#options;
    await recordEnd(database, { workerId: this.#id, outcome, reason, maxLost });
  }
}
