// Talks to the queue on a connection of its own: results in, new jobs out, in one call.
import type { Socket } from "node:net";
import pg from "pg";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { monotonicMs } from "./monotonic-ms.ts";
import type { AttemptName, AttemptResult, ClaimedJob } from "./run-attempt.ts";

export interface TurnRequest {
  readonly workerId: string;
  readonly results: readonly AttemptResult[];
  readonly slots: number;
  /** Ids of the jobs that run here. */
  readonly known: () => readonly string[];
}

export interface Turn {
  readonly claimed: readonly ClaimedJob[];
  /** Results of attempts that are not this worker's any more. */
  readonly refused: readonly AttemptResult[];
  readonly nextDueMs: number | undefined;
}

interface TurnRow {
  /** Null: none. */
  readonly refused: readonly string[] | null;
  readonly claimed: ClaimedJob[] | null;
  readonly due_in_ms: number | null;
}

const TAKE_TURN = {
  name: "take-turn",
  text: `select refused, claimed, extract(epoch from next_due_at - croft.now())::float8 * 1000 as due_in_ms
         from croft.take_turn($1, $2, $3, $4)`,
};
const DUE_MAX = 200;
const END_LIMIT_MS = 1000;

export class TurnTaker {
  readonly #database: Database;
  readonly #types: readonly string[];
  readonly #maxLost: number;
  #client: pg.Client | undefined;
  /** When the next job that waits for its time gets in line. */
  #dueAtMs: number | undefined;
  #isInDoubt = false;

  constructor(database: Database, types: readonly string[], maxLost: number) {
    this.#database = database;
    this.#types = types;
    this.#maxLost = maxLost;
  }

  /** There may be jobs of ours that we never heard of: the next turn looks for them, and gives them back. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  get #isDue(): boolean {
    return this.#dueAtMs !== undefined && this.#dueAtMs <= monotonicMs();
  }

  async take({ workerId, results, slots, known }: TurnRequest): Promise<Turn> {
    const client = await this.#connected();
    try {
      const lost = this.#isInDoubt
        ? await unheard(client, workerId, [...known(), ...idsOf(results)], this.#maxLost)
        : [];
      const told = [...results, ...lost];
      // In a transaction of its own: it locks other lanes than the turn does.
      if (this.#isDue)
        await despiteDeadlocks(() => client.query(`select croft.admit_due(${DUE_MAX})`));
      const values = [
        workerId,
        told.length === 0 ? null : JSON.stringify(told),
        slots,
        this.#types,
      ];
      const { rows } = await despiteDeadlocks(() =>
        client.query<TurnRow>({ ...TAKE_TURN, values }),
      );
      const { refused = null, claimed = null, due_in_ms = null } = rows[0] ?? {};
      const wasInDoubt = this.#isInDoubt;
      this.#isInDoubt = false;
      this.#dueAtMs = due_in_ms === null ? undefined : monotonicMs() + due_in_ms;
      return {
        claimed: claimed ?? [],
        refused: wasInDoubt ? [] : results.filter(({ id }) => refused?.includes(id) === true),
        nextDueMs: due_in_ms === null ? undefined : Math.max(0, Math.ceil(due_in_ms)),
      };
    } catch (error) {
      // It may have been carried out all the same: then there are jobs of ours that we never heard of.
      this.#isInDoubt = true;
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const ended = client.end().catch(() => {}); // it was broken
    const stream = (client as unknown as { connection: { stream: Socket } }).connection.stream;
    const timer = setTimeout(() => stream.destroy(), END_LIMIT_MS); // it may be silent for ever
    await ended;
    clearTimeout(timer);
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({ ...this.#database.target, application_name: "croft worker" });
    client.on("error", () => {
      if (this.#client === client) this.#client = undefined; // the next turn opens another
    });
    await client.connect();
    this.#client = client;
    return client;
  }
}

function idsOf(results: readonly AttemptResult[]): string[] {
  return results.map(({ id }) => id);
}

/** Behind the turn whose answer was lost, if that still waits in the database; what comes even later is found by `doubt`. */
async function unheard(
  client: pg.Client,
  workerId: string,
  known: readonly string[],
  maxLost: number,
): Promise<AttemptResult[]> {
  await client.query("begin");
  await client.query("select croft.lock_queue()");
  const { rows } = await client.query<AttemptName>(
    `select id, owner, lane_id, attempt from croft.job
     where worker_id = $1 and status = 'running' and id <> all ($2)`,
    [workerId, known],
  );
  await client.query("commit");
  const message = "the answer that started it was lost on its way";
  return rows.map((name) => ({
    ...{ ...name, outcome: "lost" as const, class: "lost" as const, max_lost: maxLost },
    error: { code: "lost", class: "lost" as const, message },
  }));
}
