// How many deliveries may be on their way at once: those that take long give their places to others.

export interface Place {
  /** Of its body, about. */
  readonly bytes: number;
  readonly takenAt: number;
}

const QUICK_MAX = 64;
const SLOW_MAX = 256;
/** Their bodies stay in memory. */
const SLOW_BYTES_MAX = 64 * 1024 * 1024;
const SLOW_AFTER_MS = 1000;

/**
 * An app that hangs, or a remote that does not say whether a watch may still read, holds its own turn only: after a moment
 * it does not count any more, up to a limit.
 */
export class SendingPlaces {
  /** Oldest first. */
  readonly #quick = new Set<Place>();
  readonly #slow = new Set<Place>();
  #slowBytes = 0;

  take(bytes: number, now: number): Place {
    const place = { bytes, takenAt: now };
    this.#quick.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#quick.delete(place);
    if (this.#slow.delete(place)) this.#slowBytes -= place.bytes;
  }

  roomAt(now: number): number {
    for (const place of this.#quick) {
      if (now - place.takenAt < SLOW_AFTER_MS || !this.#mayBeSlow(place)) break;
      this.#quick.delete(place);
      this.#slow.add(place);
      this.#slowBytes += place.bytes;
    }
    return QUICK_MAX - this.#quick.size;
  }

  /** When the oldest of them counts no more; undefined when only an end makes room. */
  untilRoomMs(now: number): number | undefined {
    const [oldest] = this.#quick;
    if (oldest === undefined || !this.#mayBeSlow(oldest)) return undefined;
    return Math.max(1, Math.ceil(oldest.takenAt + SLOW_AFTER_MS - now));
  }

  #mayBeSlow({ bytes }: Place): boolean {
    return this.#slow.size < SLOW_MAX && this.#slowBytes + bytes <= SLOW_BYTES_MAX;
  }
}
