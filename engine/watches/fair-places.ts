// Places for work on behalf of apps, of which none can have all: half of what the others leave is the most.
import { setTimeout as delay } from "node:timers/promises";

interface Waiting {
  readonly appId: string;
  readonly enter: (leave: () => void) => void;
}

export class FairPlaces {
  readonly #max: number;
  readonly #taken = new Map<string, number>();
  readonly #line = new Set<Waiting>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** Apps that have all they may have for now. */
  get sated(): string[] {
    return [...this.#taken.keys()].filter((appId) => !this.#hasRoom(appId));
  }

  takenBy(appId: string): number {
    return this.#taken.get(appId) ?? 0;
  }

  /** At once, whoever waits. To be left again by what it returns. */
  enter(appId: string): () => void {
    this.#taken.set(appId, this.takenBy(appId) + 1);
    this.#total++;
    let isIn = true;
    return () => {
      if (isIn) this.#leave(appId);
      isIn = false;
    };
  }

  /** In turn with others of the same app; undefined when there was no place within this time. Throws when aborted. */
  async take(
    appId: string,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<(() => void) | undefined> {
    signal.throwIfAborted();
    if (this.#hasRoom(appId)) return this.enter(appId);
    const leaving = new AbortController();
    const until = AbortSignal.any([signal, leaving.signal]);
    let waiting: Waiting = { appId, enter: () => {} };
    const entered = new Promise<() => void>((enter) => {
      waiting = { appId, enter };
    });
    this.#line.add(waiting);
    try {
      await Promise.race([entered, delay(patienceMs, undefined, { signal: until })]);
    } catch (error) {
      if (!this.#line.delete(waiting)) (await entered)(); // it came in the very moment
      throw error;
    } finally {
      leaving.abort();
    }
    return this.#line.delete(waiting) ? undefined : await entered;
  }

  #hasRoom(appId: string): boolean {
    const own = this.takenBy(appId);
    return this.#total < this.#max && own < (this.#max - (this.#total - own)) / 2;
  }

  #leave(appId: string): void {
    const own = this.takenBy(appId) - 1;
    if (own > 0) this.#taken.set(appId, own);
    else this.#taken.delete(appId);
    this.#total--;
    for (const waiting of this.#line) {
      if (!this.#hasRoom(waiting.appId)) continue;
      this.#line.delete(waiting);
      waiting.enter(this.enter(waiting.appId));
    }
  }
}
