// This process among those that poll and send: a row with a lease. What a dead one had in its hands is taken up by others.
import { isProcessAlive, thisProcess } from "@croft/git";
import { inTransaction } from "../database/in-transaction.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../new-id.ts";
import { Rounds } from "../rounds.ts";

type DispatcherParts = Pick<Engine, "database" | "hostId" | "log">;

interface DispatcherRow {
  readonly id: string;
  readonly pid: number;
  readonly process_start: string;
}

const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 3000;
/** So many rows of a dead one's unfinished work in one statement: each has a time limit. */
const FORGOTTEN_AT_ONCE = 2000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #rounds: Rounds;
  readonly #onFreed: (() => void)[] = [];
  #id = newId();
  #renewedAt = performance.now();
  /** When it may take others for dead. */
  #judgesFrom = 0;

  private constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { log } = parts;
    this.#rounds = new Rounds({ what: "dispatcher", log, round: () => this.#round() });
  }

  static async start(parts: DispatcherParts): Promise<Dispatcher> {
    const dispatcher = new Dispatcher(parts);
    await dispatcher.#round();
    dispatcher.#rounds.wake();
    return dispatcher;
  }

  get id(): string {
    return this.#id;
  }

  get host(): string {
    return this.#parts.hostId;
  }

  /** Called when something of a dead one is anybody's again. */
  onFreed(listener: () => void): void {
    this.#onFreed.push(listener);
  }

  async close(): Promise<void> {
    await this.#rounds.close();
    try {
      await this.#free([this.#id]);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "the dispatcher left without a word: its lease tells");
    }
  }

  async #round(): Promise<number> {
    await this.#renew();
    if (performance.now() < this.#judgesFrom) return RENEW_EVERY_MS;
    const dead = await this.#findDead();
    if (dead.length > 0) await this.#free(dead);
    return (await this.#forgetUnmade()) ? 0 : RENEW_EVERY_MS;
  }

  /** Whoever was taken for dead goes on under another name: what is told under the old one is refused. */
  async #renew(): Promise<void> {
    const { database, hostId } = this.#parts;
    const { pid, start } = thisProcess();
    const { rowCount } = await database.pool.query(
      `update croft.dispatcher set lease_until = croft.now() + make_interval(secs => $2) where id = $1`,
      [this.#id, LEASE_MS / 1000],
    );
    const now = performance.now();
    // Who could not renew its own lease says nothing of others': the database was away, for all of them.
    if (now - this.#renewedAt > LEASE_MS / 2) this.#judgesFrom = now + 2 * RENEW_EVERY_MS;
    this.#renewedAt = now;
    if (rowCount === 1) return;
    this.#id = newId();
    await database.pool.query(
      `insert into croft.dispatcher (id, host, pid, process_start, lease_until)
       values ($1, $2, $3, $4, croft.now() + make_interval(secs => $5))`,
      [this.#id, hostId, pid, start, LEASE_MS / 1000],
    );
  }

  /** On its own host a process is seen to be dead before its lease ends. */
  async #findDead(): Promise<string[]> {
    const { database, hostId } = this.#parts;
    const { rows } = await database.pool.query<DispatcherRow & { over: boolean }>(
      `select id, pid, process_start, lease_until <= croft.now() as over from croft.dispatcher
       where id <> $1 and (lease_until <= croft.now() or host = $2)`,
      [this.#id, hostId],
    );
    const isDead = ({ pid, process_start, over }: DispatcherRow & { over: boolean }) =>
      over || !isProcessAlive({ pid, start: process_start });
    return rows.filter(isDead).map(({ id }) => id);
  }

  async #free(ids: readonly string[]): Promise<void> {
    await inTransaction(this.#parts.database, async (client) => {
      const { rows } = await client.query<{ id: string }>(
        "delete from croft.dispatcher where id = any ($1) returning id",
        [ids],
      );
      const gone = [rows.map(({ id }) => id)];
      await client.query(
        `update croft.delivery set state = 'pending', dispatcher_id = null
         where state = 'sending' and dispatcher_id = any ($1)`,
        gone,
      );
      await client.query(
        `update croft.repository set dispatcher_id = null, next_poll_at = least(next_poll_at, croft.now())
         where dispatcher_id = any ($1)`,
        gone,
      );
      // Who leaves has said how far it was; who died may have died of what it had in its hands.
      await client.query(
        `update croft.inbox set dispatcher_id = null, lost = lost + (dispatcher_id <> $2)::integer
         where dispatcher_id is not null and dispatcher_id = any ($1)`,
        [...gone, this.#id],
      );
      await client.query(
        "select pg_notify('croft_delivery', ''), pg_notify('croft_watch', ''), pg_notify('croft_inbox', '')",
      );
    });
    for (const listener of this.#onFreed) listener();
  }

  /** A part of it; whether there is more. */
  async #forgetUnmade(): Promise<boolean> {
    const { rows } = await this.#parts.database.pool.query<{ more: boolean }>(
      "select croft.forget_unmade_syncs($1) as more",
      [FORGOTTEN_AT_ONCE],
    );
    return rows[0]?.more === true;
  }
}
