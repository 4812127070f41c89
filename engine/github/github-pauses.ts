// When GitHub may be asked again: nobody asks for an installation before the time that GitHub named.
import type { Clock } from "./github-door.ts";
import { GithubError } from "./github-error.ts";

/** Longer than that is a matter for another attempt: whoever waits keeps a place that others could have. */
const WAIT_MS_MAX = 20_000;
/** A limit that comes again and again is no matter of waiting. */
const WAITS_MAX = 3;

export class GithubPauses {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing more under this name for so long. */
  note(name: string, pauseMs: number): void {
    const until = this.#clock.now() + pauseMs;
    if (until > (this.#until.get(name) ?? 0)) this.#until.set(name, until);
  }

  /** Does it when it may be done; what GitHub turned away for coming too often was not done, so it is done again. */
  async pass<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    for (let waits = 0; ; waits++) {
      await this.#wait(name, signal);
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof GithubError) || error.retryAfterMs === undefined) throw error;
        this.note(name, error.retryAfterMs);
        const isUndone = error.isRateLimit; // of a fault of its own GitHub may have done it all the same
        if (!isUndone || waits >= WAITS_MAX || error.retryAfterMs > WAIT_MS_MAX) throw error;
      }
    }
  }

  async #wait(name: string, signal: AbortSignal | undefined): Promise<void> {
    const leftMs = (this.#until.get(name) ?? 0) - this.#clock.now();
    if (leftMs <= 0) {
      this.#until.delete(name);
      return;
    }
    if (leftMs > WAIT_MS_MAX) {
      const message = `GitHub allows no more requests for ${name} for ${Math.ceil(leftMs / 1000)} s`;
      throw new GithubError(message, {
        ...{ status: 403, retryAfterMs: leftMs, code: "github-rate-limit" },
      });
    }
    await this.#clock.wait(leftMs, signal);
  }
}
