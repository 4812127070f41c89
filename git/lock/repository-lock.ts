// One lock a repository: first in line inside a process, held by the kernel between processes.
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { LockError, LockFile } from "./lock-file.ts";
import { currentHolder, type LockHolder, writeHolder } from "./lock-holder.ts";
import { lockInTurn } from "./lock-line.ts";
import { LockQueue } from "./lock-queue.ts";
import { realCommonDir } from "./real-common-dir.ts";

export type { LockHolder };

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

/** A lock file of ours is nobody else's business; one in a repository is made as git makes its files: the umask decides. */
interface LockPath {
  readonly path: string;
  readonly mode: number;
}
const OURS = 0o600;
const FOREIGN = 0o666;

export class RepositoryLocks {
  readonly #directory: string;
  readonly #observer: LockObserver;
  readonly #queues = new Map<string, LockQueue>();

  constructor(directory: string, observer: LockObserver = {}) {
    makeDirectory(directory);
    this.#directory = directory;
    this.#observer = observer;
  }

  /** How many locks somebody of this process holds or waits for. */
  get inUse(): number {
    return this.#queues.size;
  }

  /** For a repository of ours: the lock file lies with the others. */
  async hold<T>(
    gitDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return await this.#hold({ path: this.#pathOf(gitDir), mode: OURS }, request, work);
  }

  /** For a repository of somebody else's: in it, because two data directories must exclude each other. */
  async holdForeign<T>(
    commonDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    const path = join(realCommonDir(commonDir), "croft.lock");
    return await this.#hold({ path, mode: FOREIGN }, request, work);
  }

  /** A second lock, for what takes long: fetching and repacking. */
  async holdLong<T>(
    gitDir: string,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    return await this.#hold({ path: `${this.#pathOf(gitDir)}.long`, mode: OURS }, request, work);
  }

  /** Who holds it at this moment; undefined when nobody does. */
  async holderOf(gitDir: string): Promise<LockHolder | undefined> {
    return currentHolder(this.#pathOf(gitDir));
  }

  /** Found at once, without a wait in between, so that the line is in order. */
  #pathOf(gitDir: string): string {
    const key = createHash("sha256").update(realCommonDir(gitDir)).digest("hex").slice(0, 32);
    return join(this.#directory, key);
  }

  /** First the line inside this process, then the one between processes; both are left in the end, whatever happens. */
  async #hold<T>(
    { path, mode }: LockPath,
    request: LockRequest,
    work: (held: HeldLock) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs = TIMEOUT_MS, signal } = request;
    const askedAt = performance.now();
    const giveUpAt = askedAt + timeoutMs;
    const queue = this.#queueOf(path);
    let leave: (() => void) | undefined;
    let file: LockFile | undefined;
    let heldAt: number | undefined;
    try {
      leave = await queue.enter(timeoutMs, signal);
      file = leave && LockFile.openOrCreate(path, mode);
      if (file === undefined || !(await lockInTurn(file, { giveUpAt, signal }))) {
        throw new LockTimeout(timeoutMs, currentHolder(path));
      }
      heldAt = performance.now();
      this.#observer.onWaited?.(heldAt - askedAt, "held");
      writeHolder(file, request);
      return await work({ descriptor: file.descriptor });
    } catch (error) {
      if (heldAt === undefined) this.#observeFailedWait(error, performance.now() - askedAt, signal);
      throw error;
    } finally {
      try {
        file?.close();
      } finally {
        leave?.();
        this.#forget(path, queue);
      }
      if (heldAt !== undefined) this.#observer.onHeld?.(performance.now() - heldAt);
    }
  }

  #queueOf(path: string): LockQueue {
    const existing = this.#queues.get(path);
    if (existing !== undefined) return existing;
    const queue = new LockQueue();
    this.#queues.set(path, queue);
    return queue;
  }

  /** Who gave up may come here late, when others have a line of their own already. */
  #forget(path: string, queue: LockQueue): void {
    if (queue.isEmpty && this.#queues.get(path) === queue) this.#queues.delete(path);
  }

  /** A lock that cannot be used at all was not waited for. */
  #observeFailedWait(error: unknown, waitMs: number, signal: AbortSignal | undefined): void {
    if (error instanceof LockTimeout) this.#observer.onWaited?.(waitMs, "timeout");
    else if (signal?.aborted) this.#observer.onWaited?.(waitMs, "aborted");
  }
}

/** The last one by itself: with `recursive`, Node says ENOENT where a filesystem is read-only. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new LockError(path, error as NodeJS.ErrnoException);
  }
}
