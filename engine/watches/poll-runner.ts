// Asks watched repositories for changes: each once for all its watches, whichever process does it.
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";
import { FairPlaces } from "./fair-places.ts";
import { type PolledRepository, pollRepository } from "./poll-repository.ts";

export interface PollRunnerParts
  extends Pick<Engine, "database" | "listener" | "log" | "config" | "vault" | "git" | "github"> {
  readonly dispatcher: Dispatcher;
}

/** Repositories that are being polled, however far they are: most of them wait for something. */
const POLLS_MAX = 64;
/** Questions to remotes. A silent one keeps its place until its time is over, so no app may have all places. */
const LOOKS_MAX = 16;
/** Watches that fetch and write what is new. */
const SYNCS_MAX = 8;
const LOOK_EVERY_MS = 30_000;
const LOOK_AGAIN_MS = 1000;
const JITTER = 0.1;
/** What fails through our own fault is asked more seldom, up to this. */
const SELDOM_MS_MAX = 3_600_000;
/** A repository that nobody watches any more is looked after all the same. */
const NOBODY = "";

type ClaimedRepository = PolledRepository & { readonly apps: readonly string[] | null };

export class PollRunner {
  readonly #parts: PollRunnerParts;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;
  readonly #closing = new AbortController();
  readonly #polls = new Set<Promise<void>>();
  readonly #polling = new FairPlaces(POLLS_MAX);
  readonly #places = { looks: new FairPlaces(LOOKS_MAX), syncs: new FairPlaces(SYNCS_MAX) };

  private constructor(parts: PollRunnerParts) {
    this.#parts = parts;
    const { log, listener, dispatcher } = parts;
    this.#rounds = new Rounds({ what: "watches", log, round: () => this.#round() });
    this.#deafen = listener.hear("croft_watch", () => this.#rounds.wake());
    dispatcher.onFreed(() => this.#rounds.wake());
  }

  static start(parts: PollRunnerParts): PollRunner {
    const runner = new PollRunner(parts);
    runner.#rounds.wake();
    return runner;
  }

  /** What it was doing is begun again by whoever goes on. */
  async close(): Promise<void> {
    this.#deafen();
    this.#closing.abort();
    await this.#rounds.close();
    await Promise.all(this.#polls);
  }

  async #round(): Promise<number> {
    while (!this.#polling.isFull && !this.#closing.signal.aborted) {
      const { id: dispatcherId } = this.#parts.dispatcher;
      const repository = await this.#claim(dispatcherId);
      if (repository === undefined) return await this.#untilNext();
      const account = this.#accountOf(repository);
      const leave = this.#polling.enter(account);
      const poll = this.#poll(repository, account, dispatcherId).finally(() => {
        leave();
        this.#polls.delete(poll);
        this.#rounds.wake();
      });
      this.#polls.add(poll);
    }
    return LOOK_AGAIN_MS; // the next end wakes it
  }

  /** The one that is due for the longest, and that an app watches which may have one more. */
  async #claim(dispatcherId: string): Promise<ClaimedRepository | undefined> {
    const { rows } = await this.#parts.database.pool.query<ClaimedRepository>(
      // Who was taken for dead meanwhile takes nothing: nobody would free it.
      `with alive as materialized (select id from croft.dispatcher where id = $1 for key share)
       update croft.repository r set dispatcher_id = $1, next_poll_at = 'infinity' where id = (
         select id from croft.repository d where next_poll_at <= croft.now() and dispatcher_id is null
           and exists (select from alive)
           and (cardinality($2::uuid[]) = 0 or not exists (select from croft.watch where repository_id = d.id)
             or exists (select from croft.watch where repository_id = d.id and app_id <> all ($2)))
         order by next_poll_at limit 1 for no key update skip locked)
       returning id, url, poll_ms, failures,
         (select array_agg(distinct app_id) from croft.watch where repository_id = r.id) as apps`,
      [dispatcherId, this.#polling.sated.filter((appId) => appId !== NOBODY)],
    );
    return rows[0];
  }

  /** On whose account it goes: the one of its apps that has the fewest. */
  #accountOf({ apps }: ClaimedRepository): string {
    const taken = (appId: string) => this.#polling.takenBy(appId);
    return [...(apps ?? [])].sort((one, other) => taken(one) - taken(other))[0] ?? NOBODY;
  }

  async #poll(repository: PolledRepository, account: string, dispatcherId: string): Promise<void> {
    const { database, log } = this.#parts;
    let error: unknown;
    try {
      const { signal } = this.#closing;
      const parts = { ...this.#parts, places: this.#places, account, dispatcherId, signal };
      await pollRepository(parts, repository);
    } catch (caught) {
      error = caught;
    }
    if (this.#closing.signal.aborted) return; // the dispatcher gives it back
    if (error !== undefined) log.warn({ err: error, repository: repository.url }, "not polled");
    const failures = error === undefined ? 0 : repository.failures + 1;
    const pauseMs = Math.min(
      repository.poll_ms * 2 ** Math.min(failures, 10),
      Math.max(SELDOM_MS_MAX, repository.poll_ms),
    );
    const told =
      error === undefined
        ? null
        : { message: error instanceof Error ? error.message : String(error) };
    try {
      await database.pool.query(
        `update croft.repository set dispatcher_id = null, polled_at = croft.now(), failures = $3, error = $4,
           next_poll_at = case when next_poll_at = 'infinity' then croft.now() + make_interval(secs => $5)
             else next_poll_at end -- somebody has asked for it meanwhile
         where id = $1 and dispatcher_id = $2`,
        [
          ...[repository.id, dispatcherId, failures, told && JSON.stringify(told)],
          (pauseMs / 1000) * (1 - JITTER + 2 * JITTER * Math.random()),
        ],
      );
    } catch (caught) {
      log.warn({ err: caught, repository: repository.url }, "its lease ends by itself");
    }
  }

  async #untilNext(): Promise<number> {
    const { rows } = await this.#parts.database.pool.query<{ due_in_ms: number | null }>(
      `select extract(epoch from min(next_poll_at) - croft.now())::float8 * 1000 as due_in_ms
       from croft.repository where dispatcher_id is null`,
    );
    const dueInMs = rows[0]?.due_in_ms ?? LOOK_EVERY_MS;
    return dueInMs <= 0 ? LOOK_AGAIN_MS : Math.min(Math.ceil(dueInMs), LOOK_EVERY_MS);
  }
}
