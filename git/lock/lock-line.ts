// The line between processes: who waits for a lock is served in the order of coming, and nobody can block the line.
import { setTimeout as delay } from "node:timers/promises";
import type { LockFile, LockRange } from "./lock-file.ts";

/**
 * Ranges of the lock file:
 *
 *     0          1          2 ······· a ····· b ················ ∞
 *     the lock   the sign   the line: a came before b
 *
 * The sign is for those who only look whether the lock is held. To look is to lock for a moment: looking at the lock itself
 * would hinder those who want it, and for long if the one who looks is stopped in that moment.
 *
 * Who waits holds one byte of the line: the microsecond since boot at which it came, by the clock that all processes of a
 * machine share and nobody can set. It is next when nobody holds a byte before its own, which one system call tells. So
 * there is no list that could be wrong after a crash: the kernel takes the dead out of the line.
 */
export const LOCK: LockRange = { from: 0, length: 1 };
const SIGN: LockRange = { from: 1, length: 1 };
const LINE: LockRange = { from: 2, length: 0 };

/** One tries again and again: waiting in the kernel would block a thread of Node's pool. The longer it lasts, the rarer. */
const RETRY_MS_MIN = 1;
const RETRY_MS_MAX = 10;
const RETRIES_PER_WAIT = 32;
/** So long the lock may lie free, untouched by those who are before: then they are stopped or too busy, and are overtaken. */
const COURTESY_MS = 3 * RETRY_MS_MAX;

export interface Patience {
  /** By `performance.now()`. */
  readonly giveUpAt: number;
  readonly signal?: AbortSignal | undefined;
}

/** False when the time is up. */
export async function lockInTurn(file: LockFile, { giveUpAt, signal }: Patience): Promise<boolean> {
  signal?.throwIfAborted();
  if (file.isFree(LINE) && take(file)) return true;
  const cameAt = performance.now();
  let place: LockRange | undefined;
  let freeSince: number | undefined;
  for (;;) {
    place ??= takePlace(file);
    const now = performance.now();
    const isNext = place !== undefined && file.isFree(before(place));
    const isLeftFree = freeSince !== undefined && now - freeSince > COURTESY_MS;
    if ((isNext || isLeftFree) && take(file)) {
      if (place !== undefined) file.unlock(place);
      return true;
    }
    freeSince = !isNext && !isHeld(file) ? (freeSince ?? now) : undefined;
    const leftMs = giveUpAt - now;
    if (leftMs <= 0) return false;
    await pause(Math.min(leftMs, retryAfterMs(now - cameAt)), signal);
  }
}

/** At this moment, by anybody. */
export function isHeld(file: LockFile): boolean {
  return !file.isFree(SIGN);
}

function take(file: LockFile): boolean {
  if (!file.tryLock(LOCK)) return false;
  // Twice, because somebody may look just now. Without the sign the lock is as good, only the holder is not seen.
  void (file.tryLock(SIGN) || file.tryLock(SIGN));
  return true;
}

/** Undefined when somebody looks at the line in this very moment, or came in the same microsecond: later, then. */
function takePlace(file: LockFile): LockRange | undefined {
  const place = { from: LINE.from + Number(process.hrtime.bigint() / 1000n), length: 1 };
  return file.tryLock(place) ? place : undefined;
}

function before({ from }: LockRange): LockRange {
  return { from: LINE.from, length: from - LINE.from };
}

function retryAfterMs(waitedMs: number): number {
  return Math.min(RETRY_MS_MAX, Math.max(RETRY_MS_MIN, waitedMs / RETRIES_PER_WAIT));
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    throw signal?.reason ?? error; // the caller's own reason, as everywhere
  });
}
