// How often an app may ask: a bucket for each that fills by itself, as large as a minute's worth.
import { EngineError } from "@croft/engine";

interface Bucket {
  /** Requests that may still come; at `filledAtMs`. */
  readonly left: number;
  readonly filledAtMs: number;
}

const MINUTE_MS = 60_000;

/** Of this process. A full bucket is as good as none, so the map has only those who asked within the last minute. */
export class AppRequestLimit {
  readonly #perMinute: number;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #sweptAtMs: number;

  constructor(perMinute: number, nowMs: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#nowMs = nowMs;
    this.#sweptAtMs = nowMs();
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Throws when it has asked too often; what is refused does not count. */
  count(appId: string): void {
    const nowMs = this.#nowMs();
    this.#sweep(nowMs);
    const left = this.#leftOf(this.#buckets.get(appId), nowMs);
    if (left < 1) {
      const retryAfterSeconds = Math.ceil(((1 - left) * MINUTE_MS) / this.#perMinute / 1000);
      throw new EngineError(
        "too-many-requests",
        `an app may make ${this.#perMinute} requests a minute; wait ${retryAfterSeconds} s`,
        { details: { retryAfterSeconds } },
      );
    }
    this.#buckets.set(appId, { left: left - 1, filledAtMs: nowMs });
  }

  #leftOf(bucket: Bucket | undefined, nowMs: number): number {
    if (bucket === undefined) return this.#perMinute;
    const filled = ((nowMs - bucket.filledAtMs) * this.#perMinute) / MINUTE_MS;
    return Math.min(this.#perMinute, bucket.left + filled);
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptAtMs < MINUTE_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [appId, bucket] of this.#buckets) {
      if (this.#leftOf(bucket, nowMs) >= this.#perMinute) this.#buckets.delete(appId);
    }
  }
}
