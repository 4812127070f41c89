// A client that submits jobs over HTTP and does not give up: each under its own Idempotency-Key, until it is acknowledged.
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../support/seeded-random.ts";

export interface SubmitterOptions {
  /** Where the server is at the moment; its port changes with every start. */
  readonly server: () => { readonly url: string; readonly token: string };
  readonly random: SeededRandom;
  /** The next job to be submitted. */
  readonly jobOf: (number: number) => object;
  /** Between two submissions of one of them, so that work comes in about as fast as it is done. */
  readonly pauseMs: number;
}

const AT_ONCE = 4;
const AGAIN_AFTER_MS = 50;
const ANSWER_WITHIN_MS = 10_000;
/** What passes: the server is away or without its database, or no worker knows the type just now. */
const PASSING = ["unavailable", "unknown-type"];

export class PersistentSubmitter {
  /** Ids by Idempotency-Key. */
  readonly acknowledged = new Map<string, string>();
  readonly failures: string[] = [];
  /** Requests that had to be made again. */
  repeated = 0;
  #next = 0;
  #isOver = false;
  readonly #options: SubmitterOptions;
  readonly #working: Promise<unknown>;

  constructor(options: SubmitterOptions) {
    this.#options = options;
    this.#working = Promise.all(Array.from({ length: AT_ONCE }, () => this.#work()));
  }

  /** What was begun is acknowledged first. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** One more, and its id. */
  async submit(job: object): Promise<string> {
    const key = `key-${this.#next++}`;
    for (;;) {
      const id = await this.#request(key, job);
      if (id !== undefined) {
        this.acknowledged.set(key, id);
        return id;
      }
      this.repeated++;
      await delay(AGAIN_AFTER_MS);
    }
  }

  async #work(): Promise<void> {
    const { jobOf, pauseMs, random } = this.#options;
    while (!this.#isOver && this.failures.length === 0) {
      await this.submit(jobOf(this.#next));
      await delay(random.below(2 * pauseMs));
    }
  }

  async #request(key: string, job: object): Promise<string | undefined> {
    const { url, token } = this.#options.server();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    let response: Response;
    let answer: { id?: string; code?: string };
    try {
      const body = JSON.stringify(job);
      response = await fetch(`${url}/api/jobs`, { method: "POST", headers, body, signal });
      answer = (await response.json()) as typeof answer;
    } catch {
      return undefined; // cut off: whether it was taken in is not known
    }
    if (response.status === 202) return answer.id;
    if (!PASSING.includes(answer.code ?? "")) {
      this.failures.push(`a submission was answered ${response.status} ${JSON.stringify(answer)}`);
    }
    return undefined;
  }
}
