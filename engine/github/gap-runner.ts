// Looks for events that did not arrive: when the process has begun, and again and again.
import { Rounds } from "../rounds.ts";
import { GithubError } from "./github-error.ts";
import { GAP_LIMITS, type GapLimits, type GapParts, repairGaps } from "./repair-gaps.ts";

/** What is sent again at once must find the server listening. */
const FIRST_AFTER_MS = 5000;

export class GapRunner {
  readonly #rounds: Rounds;
  readonly #first: NodeJS.Timeout;
  readonly #closing = new AbortController();

  private constructor(parts: GapParts, limits: GapLimits) {
    const { redeliverEvery } = parts.config.github;
    this.#rounds = new Rounds({
      ...{ what: "events that did not arrive", log: parts.log },
      round: () => this.#round(parts, limits),
    });
    const wait = Math.min(FIRST_AFTER_MS, redeliverEvery);
    this.#first = setTimeout(() => this.#rounds.wake(), wait);
  }

  static start(parts: GapParts, limits = GAP_LIMITS): GapRunner {
    return new GapRunner(parts, limits);
  }

  async close(): Promise<void> {
    clearTimeout(this.#first);
    this.#closing.abort();
    await this.#rounds.close();
  }

  /** At once while there is more to do, or when GitHub says; that it is away is no reason to ask it every second. */
  async #round(parts: GapParts, limits: GapLimits): Promise<number> {
    const { redeliverEvery } = parts.config.github;
    const { signal } = this.#closing;
    try {
      const repaired = await repairGaps(parts, signal, limits);
      return repaired?.isMore === true ? 0 : redeliverEvery;
    } catch (error) {
      if (!signal.aborted) {
        parts.log.warn({ err: error }, "GitHub's deliveries could not be compared with the inbox");
      }
      return (error instanceof GithubError ? error.retryAfterMs : undefined) ?? redeliverEvery;
    }
  }
}
