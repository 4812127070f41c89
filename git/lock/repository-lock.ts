// One lock a repository: first in line inside a process, held by the kernel between processes.

import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { tryLock, unlock } from "fs-native-extensions";
import { LockQueue } from "./lock-queue.ts";

export interface LockRequest {
  /** What for, in a few words; told to those who wait. */
  readonly purpose: string;
  readonly runId?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HeldLock {
  /** To be handed to every git that works under the lock: if we are killed, it stays held until that git has ended. */
  readonly descriptor: number;
}

export interface LockHolder {
  readonly pid: number;
  readonly purpose: string;
  readonly runId?: string | undefined;
  readonly since: string;
}

/** Called for each acquisition, so that somebody can draw histograms. */
export interface LockObserver {
  onWaited?(waitMs: number, outcome: "held" | "timeout" | "aborted"): void;
  onHeld?(holdMs: number): void;
}

export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
  readonly code = "lock-timeout";
  readonly holder: LockHolder | undefined;

  constructor(timeoutMs: number, holder: LockHolder | undefined) {
    const who =
      holder === undefined
        ? "its holder is not known"
        : `held by pid ${holder.pid} for '${holder.purpose}'${holder.runId === undefined ? "" : ` of run ${holder.runId}`} since ${holder.since}`;
    super(`cannot lock the repository within ${timeoutMs} ms: ${who}`);
    this.holder = holder;
  }
}

const TIMEOUT_MS = 30_000;
/** Between processes one tries again and again: waiting in the kernel would block a thread of Node's pool. */
const RETRY_MS_MIN = 1;
const RETRY_MS_MAX = 4;
/** Longer than anybody sleeps between two tries: who has just held the lock lets those of other processes go first. */
const COURTESY_MS = 2 * RETRY_MS_MAX;

/** What a holder says of itself; words that would not fit are cut. */
const HOLDER_BYTES = 1024;
const WORDS_MAX = 100;

/** Two ranges of the lock file: the lock itself, and a shared one that everybody who waits for it holds. */
const LOCK = [0, 1] as const;
const WAITING = [1, 1] as const;

export class RepositoryLocks {
  readonly #directory: string;
  readonly #observer: LockObserver;
  readonly #queues = new Map<string, LockQueue>();

  constructor(directory: string, observer: LockObserver = {}) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#directory = directory;
    this.#observer = observer;
  }

  /** For a repository of ours: the lock file lies with the others. */
  async hold<T>(
    gitDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return await this.#holdFile(this.#fileOf(gitDir), request, work);
  }

  /** For a repository of somebody else's: in it, because two data directories must exclude each other. */
  async holdForeign<T>(
    commonDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return await this.#holdFile(join(realpathSync(commonDir), "croft.lock"), request, work);
  }

  /** A second lock, for what takes long: fetching and repacking. */
  async holdLong<T>(
    gitDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return await this.#holdFile(`${this.#fileOf(gitDir)}.long`, request, work);
  }

  /** Who holds it at this moment; undefined when nobody does. */
  async holderOf(gitDir: string): Promise<LockHolder | undefined> {
    return currentHolder(this.#fileOf(gitDir));
  }

  /** By the real path, so that links and relative paths of one repository share one lock; at once, so that the line is in order. */
  #fileOf(gitDir: string): string {
    const path = realpathOfNew(gitDir);
    return join(this.#directory, createHash("sha256").update(path).digest("hex").slice(0, 32));
  }

  async #holdFile<T>(
    file: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs = TIMEOUT_MS, signal } = request;
    const askedAt = performance.now();
    const giveUpAt = askedAt + timeoutMs;
    const waited = (outcome: "held" | "timeout" | "aborted") =>
      this.#observer.onWaited?.(performance.now() - askedAt, outcome);
    const queue = this.#queueOf(file);
    const leave = await this.#enter(queue, file, request, waited);
    let descriptor: number;
    try {
      const locked = await lockFile(file, giveUpAt, signal);
      if (locked === undefined) throw new LockTimeout(timeoutMs, currentHolder(file));
      descriptor = locked;
    } catch (error) {
      waited(error instanceof LockTimeout ? "timeout" : "aborted");
      leave();
      throw error;
    }
    waited("held");
    const heldAt = performance.now();
    try {
      sayHolder(descriptor, request);
      return await work({ descriptor });
    } finally {
      releaseFile(descriptor);
      this.#observer.onHeld?.(performance.now() - heldAt);
      leave();
    }
  }

  /** The line inside this process. */
  async #enter(
    queue: LockQueue,
    file: string,
    { timeoutMs = TIMEOUT_MS, signal }: LockRequest,
    waited: (outcome: "timeout" | "aborted") => void,
  ): Promise<() => void> {
    const out = await queue.enter(timeoutMs, signal).catch((error: unknown) => {
      waited("aborted");
      throw error;
    });
    if (out === undefined) {
      waited("timeout");
      throw new LockTimeout(timeoutMs, currentHolder(file));
    }
    return () => {
      out();
      if (queue.isEmpty && this.#queues.get(file) === queue) this.#queues.delete(file);
    };
  }

  #queueOf(file: string): LockQueue {
    const existing = this.#queues.get(file);
    if (existing !== undefined) return existing;
    const queue = new LockQueue();
    this.#queues.set(file, queue);
    return queue;
  }
}

/** Opened anew each time: a second lock on a descriptor that has one would succeed. Undefined when time is up. */
async function lockFile(
  file: string,
  giveUpAt: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  signal?.throwIfAborted();
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  let isLocked = false;
  try {
    const isContended = isWaitedFor(descriptor);
    isLocked =
      (!isContended && tryLock(descriptor, ...LOCK)) ||
      (await waitForLock(descriptor, file, { giveUpAt, signal }));
    return isLocked ? descriptor : undefined;
  } finally {
    if (!isLocked) closeSync(descriptor);
  }
}

interface Patience {
  readonly giveUpAt: number;
  readonly signal: AbortSignal | undefined;
}

/** Whoever was the last to hold it lets others that wait go first, for a moment: so processes take turns. */
async function waitForLock(descriptor: number, file: string, { giveUpAt, signal }: Patience) {
  const courtesyEndsAt = performance.now() + COURTESY_MS;
  tryLock(descriptor, ...WAITING, { shared: true });
  for (let retryMs = RETRY_MS_MIN; ; retryMs = Math.min(RETRY_MS_MAX, retryMs * 1.5)) {
    const isCourteous = performance.now() < courtesyEndsAt && readHolder(file)?.pid === process.pid;
    if (!isCourteous && tryLock(descriptor, ...LOCK)) {
      unlock(descriptor, ...WAITING);
      return true;
    }
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(leftMs, retryMs * (0.5 + Math.random() / 2)), undefined, { signal });
  }
}

function isWaitedFor(descriptor: number): boolean {
  if (!tryLock(descriptor, ...WAITING)) return true;
  unlock(descriptor, ...WAITING);
  return false;
}

function sayHolder(descriptor: number, { purpose, runId }: LockRequest): void {
  const holder: LockHolder = {
    pid: process.pid,
    purpose: purpose.slice(0, WORDS_MAX),
    runId: runId?.slice(0, WORDS_MAX),
    since: new Date().toISOString(),
  };
  // Always as long, over what stood there: cutting a file first costs ten times the rest.
  writeSync(descriptor, JSON.stringify(holder).padEnd(HOLDER_BYTES), 0);
}

/** The file stays: after an unlink a second holder could lock another file of the same name. So does what is said in it. */
function releaseFile(descriptor: number): void {
  unlock(descriptor, ...LOCK);
  closeSync(descriptor);
}

/** What stands in the file counts only while somebody holds it: else it tells who was the last. */
function currentHolder(file: string): LockHolder | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const isFree = tryLock(descriptor, ...LOCK);
  closeSync(descriptor);
  return isFree ? undefined : readHolder(file);
}

function readHolder(file: string): LockHolder | undefined {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // empty, or being written at this moment
  }
}

/** The repository itself may be about to be made. */
function realpathOfNew(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(realpathSync(dirname(path)), path.slice(dirname(path).length + 1));
  }
}
