// Deliveries taken to be sent, and what became of them; both in few statements for many.

import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import { newId } from "../new-id.ts";
import { type DeliveryFile, keysOf } from "./delivery-files.ts";
import { keptJson } from "./kept-json.ts";
import type { MessageRow } from "./message-body.ts";

export interface ClaimedDelivery extends MessageRow {
  readonly app_id: string;
  readonly base_url: string;
  readonly endpoint_failures: number;
  readonly watch_id: string | null;
  readonly attempt: number;
  readonly failures: number;
  readonly refusals: number;
  readonly unsent: number;
  readonly chunk: number;
}

/** One request of a delivery, as it is shown later. */
export interface Try {
  readonly chunk: number | null;
  readonly at: Date;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly request: object;
  readonly response: object | null;
  readonly error: object | null;
}

export interface DeliveryResult {
  readonly id: string;
  readonly attempt: number;
  readonly state: "delivered" | "pending" | "failed" | "quarantined" | "cancelled";
  readonly after_ms?: number | undefined;
  /** Whether it counts for the schedule of tries. */
  readonly fails?: boolean | undefined;
  readonly refusals?: number | undefined;
  /** Nothing of it went out: our own fault, or the remote's. */
  readonly is_unsent?: boolean | undefined;
  readonly chunk?: number | undefined;
  readonly status_code?: number | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** What the answer says of the address. */
  readonly endpoint?: "well" | "ill" | "gone" | undefined;
  readonly closes_ms?: number | undefined;
  readonly tries: readonly Try[];
}

export async function claimDeliveries(
  { pool }: Database,
  { id, host }: Pick<Dispatcher, "id" | "host">,
  { max, answered = [] }: { readonly max: number; readonly answered?: readonly string[] },
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: "claim-deliveries",
    text: "select * from croft.claim_deliveries($1, $2, $3, $4)",
    values: [id, host, max, answered],
  });
  return rows;
}

/**
 * Those that are not this dispatcher's any more are not among the answer. One that the database does not take must not hold
 * back the others: then each is told alone, and that one without what is only shown.
 */
export async function settleDeliveries(
  database: Database,
  dispatcherId: string,
  results: readonly DeliveryResult[],
): Promise<string[]> {
  try {
    return await settleTogether(database, dispatcherId, results);
  } catch (error) {
    if (!isDataError(error)) throw error;
  }
  const told: string[] = [];
  for (const result of results) {
    try {
      told.push(...(await settleTogether(database, dispatcherId, [result])));
    } catch (error) {
      if (!isDataError(error)) throw error;
      told.push(...(await settleTogether(database, dispatcherId, [bare(result, error)])));
    }
  }
  return told;
}

/** Class 22 of PostgreSQL: a value that it does not take. */
function isDataError(error: unknown): error is Error {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && code.startsWith("22");
}

function bare(result: DeliveryResult, { message }: Error): DeliveryResult {
  const reason = `what was answered could not be kept: ${message}`;
  return {
    ...{ ...result, tries: [], status_code: undefined },
    error: result.state === "delivered" ? undefined : { code: "not-kept", message: reason },
  };
}

async function settleTogether(
  { pool }: Database,
  dispatcherId: string,
  results: readonly DeliveryResult[],
): Promise<string[]> {
  const tries = results.flatMap(({ id, tries: own }) => own.map((each) => ({ id, ...each })));
  const told = results.map(({ tries: _, ...result }) => result);
  const { rows } = await pool.query<{ told: string[] }>({
    name: "settle-deliveries",
    text: "select croft.settle_deliveries($1, $2, $3) as told",
    values: [dispatcherId, keptJson(told), keptJson(tries)],
  });
  return rows[0]?.told ?? [];
}

/** Two halves with ids of their own take its place; whoever waited for it waits for both. */
export async function divideDelivery(
  database: Database,
  dispatcherId: string,
  { id, attempt }: Pick<DeliveryResult, "id" | "attempt">,
  result: Pick<DeliveryResult, "status_code" | "error" | "tries">,
  files: readonly DeliveryFile[],
): Promise<void> {
  const middle = Math.ceil(files.length / 2);
  await inTransaction(database, async (client) => {
    // As everybody who settles: a sync that lets its messages wait for this one is waited for, and seen.
    await client.query("select from croft.delivery where id = $1 for update", [id]);
    const { rows } = await client.query<{ state: "split" | "cancelled" }>(
      `update croft.delivery set state = case when is_superseded then 'cancelled' else 'split' end, dispatcher_id = null,
         settled_at = croft.now(), seq = seq + 1, status_code = $4, error = $5
       where id = $1 and dispatcher_id = $2 and state = 'sending' and attempt = $3 returning state`,
      [id, dispatcherId, attempt, result.status_code ?? null, keptJson(result.error)],
    );
    const [changed] = rows;
    if (changed === undefined) return; // another's by now
    const halves = [files.slice(0, middle), files.slice(middle)];
    for (const half of changed.state === "split" ? halves : []) {
      const { path_keys, above_keys } = keysOf(half);
      await client.query(
        `with made as (
           insert into croft.delivery (id, app_id, watch_id, sync_id, type, number, message, files, path_keys, above_keys, host,
               state, replay_of)
             select $2, app_id, watch_id, sync_id, type, number, message, $3, $4, $5, host, 'pending', replay_of
             from croft.delivery where id = $1 returning id
         ), waiting as (
           insert into croft.delivery_wait (delivery_id, waits_for)
             select delivery_id, $2 from croft.delivery_wait where waits_for = $1 returning delivery_id
         ), counted as (
           update croft.delivery set waits = waits + 1 where id in (select delivery_id from waiting)
         )
         update croft.sync set unsettled = unsettled + 1
           where id = (select sync_id from croft.delivery where id = $1)`,
        [id, newId(), JSON.stringify(half), path_keys, above_keys],
      );
    }
    for (const each of result.tries) {
      await client.query(
        `insert into croft.delivery_attempt (delivery_id, attempt, chunk, at, duration_ms, status_code, request, response, error)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          ...[id, attempt, each.chunk, each.at, each.duration_ms, each.status_code],
          ...[keptJson(each.request), keptJson(each.response), keptJson(each.error)],
        ],
      );
    }
    await client.query(
      `with told as (
         insert into croft.event (subject, seq, owner, type, data)
           select id, seq, 'app:' || app_id, 'delivery.' || state, jsonb_build_object('watch', watch_id) from croft.delivery where id = $1)
       select croft.release_waiting(array[$1::uuid], array_remove(array[sync_id], null)), croft.announce(array[$1::uuid]),
         pg_notify('croft_delivery', '') from croft.delivery where id = $1`,
      [id],
    );
  });
}
