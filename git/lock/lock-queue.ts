// First come, first served, inside one process.

interface Waiter {
  readonly admit: () => void;
}

export class LockQueue {
  readonly #waiting: Waiter[] = [];
  #isBusy = false;

  get isEmpty(): boolean {
    return !this.#isBusy && this.#waiting.length === 0;
  }

  /** Resolves with the way out, which may be called twice; or with undefined when the time is up. */
  async enter(timeoutMs: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
    signal?.throwIfAborted();
    if (!this.#isBusy) {
      this.#isBusy = true;
      return this.#wayOut();
    }
    return await new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        const at = this.#waiting.indexOf(waiter);
        if (at !== -1) this.#waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        admit: () => {
          settle();
          resolve(this.#wayOut());
        },
      };
      const onAbort = () => {
        settle();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        settle();
        resolve(undefined);
      }, timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #wayOut(): () => void {
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      const next = this.#waiting[0];
      if (next === undefined) this.#isBusy = false;
      else next.admit();
    };
  }
}
