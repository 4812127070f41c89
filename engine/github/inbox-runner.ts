// Handles events of GitHub: of each installation one after the other, of different ones beside each other.
import { setMaxListeners } from "node:events";
import { redactText } from "@croft/git";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import { storable } from "../jobs/job-failure.ts";
import { Rounds } from "../rounds.ts";
import { FairPlaces } from "../watches/fair-places.ts";
import { type EventPlace, EventPlaces } from "./event-places.ts";
import { type ClaimedEvent, handleEvent, type Settlement, settleEvent } from "./handle-event.ts";
import { judgeFailure } from "./judge-failure.ts";
import type { GithubParts } from "./plan-work.ts";

export interface InboxRunnerParts extends GithubParts, Pick<Engine, "listener"> {
  readonly dispatcher: Dispatcher;
}

/** Of those that write at a time: half a pool of connections is for requests. */
const WRITES_MAX = 4;
const TOGETHER_MS = 5;
const LOOK_EVERY_MS = 30_000;
const LOOK_AGAIN_MS = 1000;
/** Whoever handles it dies again and again. */
const LOST_MAX = 20;
const MESSAGE_LENGTH_MAX = 1000;

export class InboxRunner {
  readonly #parts: InboxRunnerParts;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;
  readonly #closing = new AbortController();
  readonly #places = new EventPlaces(() => this.#wakeSoon());
  readonly #writing = new FairPlaces(WRITES_MAX);
  readonly #handling = new Set<Promise<void>>();
  #waking: NodeJS.Timeout | undefined;
  /** What could not be written down: the database was away. */
  #unsettled: { readonly claimed: ClaimedEvent; readonly settlement: Settlement }[] = [];

  private constructor(parts: InboxRunnerParts) {
    this.#parts = parts;
    const { log, listener, dispatcher } = parts;
    setMaxListeners(0, this.#closing.signal); // one for each that asks GitHub
    this.#rounds = new Rounds({ what: "inbox", log, round: () => this.#round() });
    this.#deafen = listener.hear("croft_inbox", () => this.#wakeSoon());
    dispatcher.onFreed(() => this.#rounds.wake());
  }

  static start(parts: InboxRunnerParts): InboxRunner {
    const runner = new InboxRunner(parts);
    runner.#rounds.wake();
    return runner;
  }

  /** What was not handled is given back. */
  async close(): Promise<void> {
    this.#deafen();
    this.#closing.abort();
    await this.#rounds.close();
    await Promise.all(this.#handling);
    clearTimeout(this.#waking);
    try {
      await this.#settle();
    } catch (error) {
      const told = "what became of the last events is not known: they are handled again";
      this.#parts.log.warn({ err: error }, told);
    }
  }

  /** Each look costs a transaction, however many it finds: those that come together are taken together. */
  #wakeSoon(): void {
    this.#waking ??= setTimeout(() => {
      this.#waking = undefined;
      this.#rounds.wake();
    }, TOGETHER_MS);
  }

  async #round(): Promise<number> {
    await this.#settle();
    const { hasRoom } = this.#places;
    if (!hasRoom || this.#closing.signal.aborted) return LOOK_AGAIN_MS; // the next end wakes it
    for (const each of await this.#claim()) {
      const place = this.#places.enter(each.body.length);
      const handling = this.#handle(each, place).finally(() => {
        place.leave();
        this.#handling.delete(handling);
        this.#wakeSoon();
      });
      this.#handling.add(handling);
    }
    return this.#handling.size > 0 ? LOOK_AGAIN_MS : await this.#untilNext();
  }

  async #claim(): Promise<ClaimedEvent[]> {
    const { database, dispatcher } = this.#parts;
    const { events, bytes } = this.#places.room;
    const { id: dispatcherId } = dispatcher;
    const { rows } = await database.pool.query<Omit<ClaimedEvent, "dispatcherId">>({
      name: "claim-events",
      text: "select * from croft.claim_events($1, $2, $3)",
      values: [dispatcherId, events, bytes],
    });
    return rows.map((row) => ({ ...row, dispatcherId }));
  }

  async #handle(claimed: ClaimedEvent, place: EventPlace): Promise<void> {
    const { log } = this.#parts;
    const { id, lost, failures, refusals, waited_ms: waitedMs } = claimed;
    if (lost >= LOST_MAX) return this.#put(claimed, { status: "failed", error: LOST });
    const { signal } = this.#closing;
    try {
      const github = this.#parts.github && place.asking(this.#parts.github);
      const parts = { ...this.#parts, github, places: this.#writing };
      if (await handleEvent(parts, claimed, signal)) return;
      log.warn({ inbox: id }, "an event was handled too late: another has it");
    } catch (error) {
      if (signal.aborted) return this.#put(claimed, { status: "pending" });
      const verdict = judgeFailure(error, { failures, refusals, waitedMs });
      log.warn({ err: error, inbox: id, status: verdict.status }, "an event was not handled");
      const message = messageOf(error);
      if (verdict.status === "failed") {
        return this.#put(claimed, { ...verdict, error: { code: "not-handled", message } });
      }
      const { status, afterMs, code } = verdict;
      const told = code === undefined ? {} : { error: { code, message } };
      this.#put(claimed, { status, afterMs, ...told });
    }
  }

  #put(claimed: ClaimedEvent, settlement: Settlement): void {
    this.#unsettled.push({ claimed, settlement });
  }

  async #settle(): Promise<void> {
    for (let next = this.#unsettled[0]; next !== undefined; next = this.#unsettled[0]) {
      await settleEvent(this.#parts.database.pool, next.claimed, next.settlement);
      this.#unsettled.shift();
    }
  }

  /** What is due already waits for one before it, whose end wakes us. */
  async #untilNext(): Promise<number> {
    const { rows } = await this.#parts.database.pool.query<{ due_in_ms: number | null }>(
      `select extract(epoch from min(due_at) - croft.now())::float8 * 1000 as due_in_ms
       from croft.inbox where status = 'pending' and dispatcher_id is null and due_at > croft.now()`,
    );
    return Math.min(Math.ceil(rows[0]?.due_in_ms ?? LOOK_EVERY_MS), LOOK_EVERY_MS);
  }
}

/** For people, and as the database can keep it. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return storable(redactText(message).slice(0, MESSAGE_LENGTH_MAX));
}

const LOST = {
  code: "lost",
  message: `whoever handled it died, ${LOST_MAX} times; replay it when the reason is gone`,
};
