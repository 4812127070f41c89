// Carries bulk actions out, a batch at a time, each in one transaction with its place: whoever comes next goes on there.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";
import type { BulkRow } from "./read-bulk.ts";
import { type BatchOutcome, runBatch } from "./run-batch.ts";
import { tellBulk } from "./tell-bulk.ts";

type RunnerParts = Pick<Engine, "database" | "listener" | "intake" | "log">;

const BATCH_MAX = 200;
/** Announcements are what wakes it; this is for those that were lost. */
const LOOK_EVERY_MS = 30_000;
/** Another process has it in its hands, and may be killed with it. */
const LOOK_AGAIN_MS = 1000;

export class BulkRunner {
  readonly #parts: RunnerParts;
  readonly #batchMax: number;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;

  private constructor(parts: RunnerParts, batchMax: number) {
    this.#parts = parts;
    this.#batchMax = batchMax;
    this.#rounds = new Rounds({
      what: "bulk actions",
      log: parts.log,
      round: (signal) => this.#round(signal),
    });
    this.#deafen = parts.listener.hear("croft_bulk", () => this.#rounds.wake());
  }

  /** Batches are smaller in tests only. */
  static start(parts: RunnerParts, batchMax = BATCH_MAX): BulkRunner {
    const runner = new BulkRunner(parts, batchMax);
    runner.#rounds.wake();
    return runner;
  }

  /** Ends after the batch that is on its way. */
  async close(): Promise<void> {
    this.#deafen();
    await this.#rounds.close();
  }

  async #round(signal: AbortSignal): Promise<number> {
    /** They must not keep the others from their turn. */
    const failed: string[] = [];
    while (!signal.aborted && (await this.#runNext(failed))) {
      // until nothing is left for this process
    }
    const { rows } = await this.#parts.database.pool.query<{ open: boolean }>(
      "select exists (select from croft.bulk where status = 'running') as open",
    );
    return rows[0]?.open === true ? LOOK_AGAIN_MS : LOOK_EVERY_MS;
  }

  async #runNext(failed: string[]): Promise<boolean> {
    let id: string | undefined;
    try {
      return await despiteDeadlocks(() =>
        inTransaction(this.#parts.database, async (client) => {
          const bulk = await claimBulk(client, failed);
          if (bulk === undefined) return false;
          id = bulk.id;
          const outcome = await runBatch(client, this.#parts.intake, bulk, this.#batchMax);
          await record(client, bulk, outcome);
          return true;
        }),
      );
    } catch (error) {
      if (id === undefined) throw error;
      this.#parts.log.warn({ err: error, bulk: id }, "a bulk action could not go on");
      failed.push(id);
      return true;
    }
  }
}

/** The one that has had the fewest turns: a large one does not hold up those that come after it. */
async function claimBulk(
  client: Queryable,
  failed: readonly string[],
): Promise<BulkRow | undefined> {
  const { rows } = await client.query<BulkRow>(
    `select * from croft.bulk where status = 'running' and id <> all ($1)
     order by seq, id limit 1 for update skip locked`,
    [failed],
  );
  return rows[0];
}

async function record(
  client: Queryable,
  { id }: BulkRow,
  { done, skipped, afterId }: BatchOutcome,
): Promise<void> {
  if (afterId !== null) {
    await client.query(
      `update croft.bulk set after_id = $2, done = done + $3, skipped = skipped + $4, seq = seq + 1,
         total = greatest(total, done + $3 + skipped + $4)
       where id = $1`,
      [id, afterId, done, skipped],
    );
    return await tellBulk(client, id, "bulk.progress");
  }
  // Those that were counted, and are no longer as the filter says, were passed over.
  await client.query(
    `update croft.bulk set status = 'done', finished_at = croft.now(), done = done + $2, seq = seq + 1,
       skipped = greatest(skipped + $3, total - done - $2), total = greatest(total, done + $2 + skipped + $3)
     where id = $1`,
    [id, done, skipped],
  );
  await tellBulk(client, id, "bulk.done");
}
