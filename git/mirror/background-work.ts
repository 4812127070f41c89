// Work that a caller waits for only a while: what takes longer goes on without it, and its failure is told to somebody.
import { setTimeout as delay } from "node:timers/promises";

export class BackgroundWork {
  readonly #onError: (error: unknown) => void;
  readonly #closing = new AbortController();
  readonly #goingOn = new Set<Promise<void>>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * The work's result, or undefined when it takes longer. The caller's signal ends the work while it is waited for, and
   * no longer; from then on only `close` does.
   */
  async waitFor<T extends object>(
    work: (signal: AbortSignal) => Promise<T>,
    {
      patienceMs,
      signal,
    }: { readonly patienceMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<T | undefined> {
    signal?.throwIfAborted();
    const leaving = new AbortController();
    const leave = () => leaving.abort(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    const working = work(AbortSignal.any([leaving.signal, this.#closing.signal]));
    const waiting = new AbortController();
    const patience = delay(patienceMs, undefined, { signal: waiting.signal }).catch(
      () => undefined,
    );
    try {
      const outcome = await Promise.race([working, patience]);
      if (outcome === undefined) this.#goOn(working);
      return outcome;
    } finally {
      waiting.abort();
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Ends what goes on, and waits until it has ended. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason);
    await Promise.all(this.#goingOn);
  }

  #goOn(working: Promise<unknown>): void {
    const ended = working.then(
      () => {},
      (error: unknown) => {
        if (error !== this.#closing.signal.reason) this.#onError(error);
      },
    );
    this.#goingOn.add(ended);
    void ended.finally(() => this.#goingOn.delete(ended));
  }
}
