// Sends what is to be told: as many at once as there is room for, the results of many in one statement.
import { setMaxListeners } from "node:events";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";
import { ReadCheckFailed } from "../watches/read-checks.ts";
import { type DeliverParts, deliver } from "./deliver.ts";
import { CHUNK_BYTES, CONTENT_BYTES_A_MESSAGE } from "./delivery-files.ts";
import type { Contents } from "./message-body.ts";
import { Sender } from "./send-message.ts";
import { SendingPlaces } from "./sending-places.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryResult,
  divideDelivery,
  settleDeliveries,
} from "./settle-deliveries.ts";

export interface DeliveryRunnerParts
  extends Pick<Engine, "database" | "listener" | "log" | "config" | "version"> {
  readonly dispatcher: Dispatcher;
  readonly secrets: DeliverParts["secrets"];
  /** Whether the watch's own credential still opens its repository; if not, the watch is held. */
  readonly mayRead: (watchId: string, signal: AbortSignal) => Promise<boolean>;
  readonly contentsOf: (delivery: ClaimedDelivery) => Promise<Contents>;
  /** After it could not be read. */
  readonly recover: (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<Recovery>;
}

/** `there`: nothing was missing; `lost`: nobody has it any more, and every file of the watch is sent anew instead. */
export type Recovery = "there" | "restored" | "lost";

const LOOK_EVERY_MS = 30_000;
const LOOK_AGAIN_MS = 1000;
/** While some are on their way: the end of the first of them comes before, as a rule. */
const LOOK_SOON_MS = 50;
/** Each telling costs a transaction, however many it tells of. */
const TOGETHER_MS = 1;
/** A secret that was opened is good for the messages that go out in the same moment. */
const SECRETS_MS = 200;
/** The content could not be read, or the database was away: not the app's fault. Doubled each time, and given up in the end. */
const AGAIN_AFTER_MS = 10_000;
const AGAIN_AFTER_MS_MAX = 600_000;
const UNSENT_MAX = 30;

export class DeliveryRunner {
  readonly #parts: DeliveryRunnerParts;
  readonly #rounds: Rounds;
  readonly #sender: Sender;
  readonly #deafen: () => void;
  readonly #closing = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  readonly #places = new SendingPlaces();
  readonly #secrets = new Map<
    string,
    { readonly atMs: number; readonly opened: Promise<readonly string[]> }
  >();
  #secretsClearedAt = 0;
  #waking: NodeJS.Timeout | undefined;
  #results: DeliveryResult[] = [];

  private constructor(parts: DeliveryRunnerParts) {
    this.#parts = parts;
    const { log, listener, config } = parts;
    setMaxListeners(0, this.#closing.signal); // one for each that is on its way
    this.#sender = new Sender({
      allowPrivate: config.allowPrivate,
      timeoutMs: config.deliveries.timeout,
    });
    this.#rounds = new Rounds({ what: "deliveries", log, round: () => this.#round() });
    this.#deafen = listener.hear("croft_delivery", () => this.#rounds.wake());
    parts.dispatcher.onFreed(() => this.#rounds.wake());
  }

  static start(parts: DeliveryRunnerParts): DeliveryRunner {
    const runner = new DeliveryRunner(parts);
    runner.#rounds.wake();
    return runner;
  }

  /** What is on its way gets its answer, for a while; what has none by then is sent again by another. */
  async close(graceMs: number): Promise<void> {
    this.#deafen();
    const timer = setTimeout(() => this.#closing.abort(), graceMs);
    await this.#rounds.close();
    await Promise.all(this.#sending);
    clearTimeout(timer);
    clearTimeout(this.#waking);
    this.#closing.abort();
    await this.#sender.close();
    try {
      await this.#settle();
    } catch (error) {
      const told = "what became of the last deliveries is not known: they are sent again";
      this.#parts.log.warn({ err: error }, told);
    }
  }

  async #round(): Promise<number> {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    const answered = this.#results.map(({ id }) => id);
    // What was accepted can be written down while the next are taken; what was not may say that nothing more is to be sent.
    const isAllWell = this.#results.every(({ state }) => state === "delivered");
    const settling = this.#settle();
    settling.catch(() => {}); // heard of below
    if (!isAllWell) await settling;
    const room = this.#places.roomAt(performance.now());
    const { database, dispatcher } = this.#parts;
    const claimed =
      room <= 0 ? [] : await claimDeliveries(database, dispatcher, { max: room, answered });
    for (const row of claimed) this.#start(row);
    await settling;
    if (room <= 0) return this.#places.untilRoomMs(performance.now()) ?? LOOK_AGAIN_MS; // the next end wakes it
    if (claimed.length === room) return 0;
    if (claimed.length > 0) return LOOK_SOON_MS;
    // Others may have waited for what was written down meanwhile.
    return answered.length > 0 ? 0 : await this.#untilNext();
  }

  #start(row: ClaimedDelivery): void {
    const place = this.#places.take(bytesOf(row), performance.now());
    const sending = this.#send(row).finally(() => {
      this.#sending.delete(sending);
      this.#places.leave(place);
      this.#wakeSoon();
    });
    this.#sending.add(sending);
  }

  /** Those that end together are told together; the last one does not wait. */
  #wakeSoon(): void {
    if (this.#sending.size === 0) this.#rounds.wake();
    else this.#waking ??= setTimeout(() => this.#rounds.wake(), TOGETHER_MS);
  }

  async #settle(): Promise<void> {
    const results = this.#results;
    if (results.length === 0) return;
    this.#results = [];
    const { database, dispatcher, log } = this.#parts;
    try {
      const told = new Set(await settleDeliveries(database, dispatcher.id, results));
      for (const { id } of results) {
        if (!told.has(id))
          log.warn({ delivery: id }, "a late answer was refused: another sends it");
      }
    } catch (error) {
      this.#results.unshift(...results);
      throw error;
    }
  }

  async #send(row: ClaimedDelivery): Promise<void> {
    try {
      const result = await this.#attempt(row);
      if (result !== undefined) this.#results.push(result);
    } catch (error) {
      this.#results.push(this.#unsent(row, error));
    }
  }

  #unsent({ id, attempt, unsent }: ClaimedDelivery, error: unknown): DeliveryResult {
    const again = { id, attempt, state: "pending", tries: [] } as const;
    if (this.#closing.signal.aborted) return again;
    this.#parts.log.warn({ err: error, delivery: id }, "not sent");
    if (error instanceof ReadCheckFailed) {
      const { code, message } = error.fault;
      return { ...again, after_ms: error.pauseMs, error: { code, message } };
    }
    const message = error instanceof Error ? error.message : String(error);
    const isOver = unsent + 1 >= UNSENT_MAX;
    return {
      ...{ ...again, is_unsent: true, error: { code: "not-sent", message } },
      ...(isOver ? { state: "failed" } : {}),
      after_ms: Math.min(AGAIN_AFTER_MS * 2 ** unsent, AGAIN_AFTER_MS_MAX),
    };
  }

  async #attempt(row: ClaimedDelivery): Promise<DeliveryResult | undefined> {
    if (row.files === null || row.watch_id === null) return await this.#deliver(row, NO_CONTENTS);
    const { id, attempt } = row;
    const again = { id, attempt, state: "pending", tries: [] } as const;
    const { signal } = this.#closing;
    const { mayRead, contentsOf, recover } = this.#parts;
    if (!(await mayRead(row.watch_id, signal))) return { ...again, error: HELD };
    try {
      return await this.#deliver(row, await contentsOf(row));
    } catch (error) {
      if (signal.aborted || error instanceof ReadCheckFailed) throw error;
      const recovery = await recover(row, signal);
      if (recovery === "there") throw error;
      return recovery === "restored" ? again : { ...again, state: "cancelled", error: LOST };
    }
  }

  async #deliver(row: ClaimedDelivery, contents: Contents): Promise<DeliveryResult | undefined> {
    const { database, dispatcher, config, version } = this.#parts;
    const secrets = (appId: string) => this.#secretsOf(appId);
    const { id, attempt } = row;
    const { signal } = this.#closing;
    const { kind, result } = await deliver(row, {
      ...{ sender: this.#sender, secrets, contents, version, signal },
      rules: { scheduleMs: config.deliveries.retries, random: Math.random },
      onChunk: async (chunk) => {
        const { rows } = await database.pool.query<{ is_paused: boolean }>(
          `update croft.delivery d set chunk = $3 from croft.app a
           where d.id = $1 and d.attempt = $2 and d.state = 'sending' and a.id = d.app_id returning a.is_paused`,
          [id, attempt, chunk],
        );
        const [still] = rows;
        if (still === undefined)
          throw new Error("it was removed, or is another's, in the middle of a file");
        if (still.is_paused) throw new Error("the app was paused in the middle of a file");
        const mayGoOn = row.watch_id === null || (await this.#parts.mayRead(row.watch_id, signal));
        if (!mayGoOn) throw new Error(HELD.message);
      },
    });
    if (kind === "settled") return result;
    await divideDelivery(database, dispatcher.id, { id, attempt }, result, row.files ?? []);
    return undefined;
  }

  #secretsOf(appId: string): Promise<readonly string[]> {
    const now = performance.now();
    const known = this.#secrets.get(appId);
    if (known !== undefined && now - known.atMs < SECRETS_MS) return known.opened;
    if (now - this.#secretsClearedAt > SECRETS_MS) {
      this.#secrets.clear();
      this.#secretsClearedAt = now;
    }
    const opened = this.#parts.secrets(appId);
    opened.catch(() => this.#secrets.delete(appId)); // whoever waits for it hears of it
    this.#secrets.set(appId, { atMs: now, opened });
    return opened;
  }

  async #untilNext(): Promise<number> {
    const { rows } = await this.#parts.database.pool.query<{ due_in_ms: number | null }>(
      `select extract(epoch from min(greatest(d.due_at, a.endpoint_closed_until)) - croft.now())::float8 * 1000 as due_in_ms
       from croft.app a cross join lateral (
         select due_at from croft.delivery where app_id = a.id and state = 'pending' and waits = 0 order by due_at limit 1) d
       where not a.is_paused and a.deleted_at is null and a.endpoint_gone_at is null and a.base_url is not null`,
    );
    const dueInMs = rows[0]?.due_in_ms;
    if (dueInMs == null) return LOOK_EVERY_MS;
    return dueInMs <= 0 ? LOOK_AGAIN_MS : Math.min(Math.ceil(dueInMs), LOOK_EVERY_MS);
  }
}

/** Of its body, about: some of it is written as base64. */
function bytesOf({ files }: ClaimedDelivery): number {
  const sizes = (files ?? []).map(({ size = 0 }) => Math.min(size, CHUNK_BYTES));
  const content = sizes.reduce((sum, size) => sum + size, 0);
  return Math.min(content, CONTENT_BYTES_A_MESSAGE) * 1.4;
}

const HELD = { code: "held", message: "the watch's credential is refused at the moment" };
const LOST = {
  code: "content-lost",
  message: "the host that had the content is gone, and so is the commit: every file is sent anew",
};

const NO_CONTENTS: Contents = {
  read: () => Promise.reject(new Error("this message has no files")),
  stream: () => {
    throw new Error("this message has no files");
  },
};
