// Whether a watch may still be told what is in its repository: asked of the remote, with the watch's own credential.
import { readTips } from "@croft/git";
import { accessOf, remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf, watchFailed } from "./watch-health.ts";
import { findWatch } from "./watch-rows.ts";

/** One answer is good for the messages that go out in the same moment. */
const FRESH_MS = 3000;
const RETRY_MS = 60_000;
const KNOWN_MAX = 10_000;

export class ReadChecks {
  readonly #parts: WatchParts;
  readonly #known = new Map<string, { readonly atMs: number; readonly answer: Promise<boolean> }>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  async mayRead(watchId: string): Promise<boolean> {
    const known = this.#known.get(watchId);
    if (known !== undefined && performance.now() - known.atMs < FRESH_MS) return await known.answer;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    const answer = this.#ask(watchId);
    this.#known.set(watchId, { atMs: performance.now(), answer });
    answer.catch(() => this.#known.delete(watchId)); // whoever waits for it hears of it
    return await answer;
  }

  async #ask(watchId: string): Promise<boolean> {
    const watch = await findWatch(this.#parts.database.pool, watchId);
    if (watch === undefined) return false;
    try {
      const { access } = await accessOf(this.#parts, watch);
      await readTips(remoteOf(this.#parts, watch.url), [watch.ref], access);
      return true;
    } catch (error) {
      const fault = faultOf(error);
      if (fault?.holds !== true) throw error;
      await watchFailed(this.#parts.database, watch, fault, RETRY_MS);
      return false;
    }
  }
}
