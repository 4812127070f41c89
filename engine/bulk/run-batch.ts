// One step of a bulk action: acts on some of what it means and says how it went, all in the caller's transaction.
import type { Job } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { replayGivenUp } from "../deliveries/replay-given-up.ts";
import { EngineError } from "../engine-error.ts";
import { cancelJobs, retryOf, retryWithin } from "../jobs/change-jobs.ts";
import { readJobs } from "../jobs/read-jobs.ts";
import { BATCH_BYTES_MAX, type JobIntake } from "../jobs/submit-jobs.ts";
import { resyncWatches } from "../watches/resync-watches.ts";
import { findBulk } from "./find-bulk.ts";
import type { BulkRow } from "./read-bulk.ts";

export interface BatchOutcome {
  readonly done: number;
  readonly skipped: number;
  /** Where to go on; null when there is nothing left. */
  readonly afterId: string | null;
}

export async function runBatch(
  client: Queryable,
  intake: JobIntake,
  bulk: BulkRow,
  batchMax: number,
): Promise<BatchOutcome> {
  const { ids, lookedUntil } = await findBulk(client, bulk, batchMax);
  if (bulk.action !== "retry") {
    const done = await ACTIONS[bulk.action](client, ids);
    return { done, skipped: ids.length - done, afterId: lookedUntil };
  }
  const taken = await thatFit(client, ids);
  const done = await retry(client, intake, taken);
  const isCut = taken.length < ids.length;
  return {
    done,
    skipped: taken.length - done,
    afterId: isCut ? (taken.at(-1) ?? null) : lookedUntil,
  };
}

/** Each says how many it acted on. */
const ACTIONS = {
  cancel,
  replay: async (client: Queryable, ids: readonly string[]) =>
    (await replayGivenUp(client, ids)).length,
  resync: resyncWatches,
} as const;

async function cancel(client: Queryable, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const outcomes = await cancelJobs(client, ids);
  return [...outcomes.values()].filter((outcome) => outcome !== "ended").length;
}

/** Inputs may be large, and all of a batch are in memory at once. */
async function thatFit(client: Queryable, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string; bytes: number }>(
    "select id, octet_length(input::text) as bytes from croft.job where id = any ($1) order by id",
    [ids],
  );
  let bytes = 0;
  const isOver = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > BATCH_BYTES_MAX;
  });
  return isOver === -1 ? ids : rows.slice(0, isOver).map(({ id }) => id);
}

async function retry(
  client: Queryable,
  intake: JobIntake,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const retryable: Job[] = [];
  for (const job of await readJobs(client, ids)) {
    if (await isRetryable(client, intake, job)) retryable.push(job);
  }
  if (retryable.length === 0) return 0;
  const submissions = await retryWithin(client, intake, retryable);
  return submissions.filter(({ isNew }) => isNew).length;
}

/** Its type may have gone since, or take other input. */
async function isRetryable(client: Queryable, intake: JobIntake, job: Job): Promise<boolean> {
  try {
    await intake.check(retryOf(job), client);
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}
