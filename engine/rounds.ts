// Something done again and again: when it is woken, when its time has come, and never twice at once.
import type { Log } from "./log.ts";

export interface RoundsOptions {
  /** For the log, when a round fails. */
  readonly what: string;
  readonly log: Log;
  /** One round; says after how many milliseconds the next is due. */
  readonly round: (signal: AbortSignal) => Promise<number>;
}

const AGAIN_AFTER_MS = 1000;

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Whoever wakes it during a round gets another one after it. */
  wake(): void {
    this.#isWanted = true;
    this.#running ??= this.#run();
  }

  /** Waits for the round that is on its way. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { what, log, round } = this.#options;
    const { signal } = this.#closing;
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false;
      clearTimeout(this.#timer);
      let pauseMs = AGAIN_AFTER_MS;
      try {
        pauseMs = await round(signal);
      } catch (error) {
        log.warn({ err: error }, `${what}: failed, and tried again soon`);
      }
      if (!signal.aborted) this.#timer = setTimeout(() => this.wake(), pauseMs);
    }
    this.#running = undefined;
  }
}
