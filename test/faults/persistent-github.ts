// A GitHub that does not give up: it sends each event until it is acknowledged, as redeliveries would, and some of them twice.
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../support/seeded-random.ts";
import { sendEvent, signedEvent } from "../support/signed-event.ts";

export interface PersistentGithubOptions {
  /** Where the server is at the moment; its port changes with every start. */
  readonly server: () => { readonly url: string };
  readonly random: SeededRandom;
  readonly installations: number;
  readonly pauseMs: number;
}

const AGAIN_AFTER_MS = 50;

export class PersistentGithub {
  /** Ids by delivery. */
  readonly acknowledged = new Map<string, string>();
  readonly failures: string[] = [];
  repeated = 0;
  #next = 0;
  #isOver = false;
  readonly #options: PersistentGithubOptions;
  readonly #working: Promise<unknown>;

  constructor(options: PersistentGithubOptions) {
    this.#options = options;
    const senders = Array.from({ length: options.installations }, (_, nth) => this.#work(nth + 1));
    this.#working = Promise.all(senders);
  }

  /** What was begun is acknowledged first. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #work(installation: number): Promise<void> {
    const { random, pauseMs } = this.#options;
    while (!this.#isOver && this.failures.length === 0) {
      const number = this.#next++;
      await this.#deliver(installation, number);
      if (random.below(4) === 0) await this.#deliver(installation, number);
      await delay(random.below(2 * pauseMs));
    }
  }

  async #deliver(installation: number, number: number): Promise<void> {
    const deliveryId = `delivery-${number}`;
    const payload = { action: "opened", number, installation: { id: installation } };
    const event = signedEvent({ event: "issues", payload, deliveryId });
    for (;;) {
      const sent = await sendEvent(this.#options.server().url, event).catch(() => undefined); // cut off
      if (sent?.status === 202) {
        const id = String(sent.answer["id"]);
        const before = this.acknowledged.get(deliveryId) ?? id;
        if (before !== id) this.failures.push(`${deliveryId} was ${before} and is ${id}`);
        this.acknowledged.set(deliveryId, id);
        return;
      }
      if (sent !== undefined && sent.status !== 503) {
        this.failures.push(`an event was answered ${sent.status} ${JSON.stringify(sent.answer)}`);
        return;
      }
      this.repeated++;
      await delay(AGAIN_AFTER_MS);
    }
  }
}
