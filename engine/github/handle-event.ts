// One event: what it starts is found out first, and then written together with its being handled, all of it or nothing.
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { FairPlaces } from "../watches/fair-places.ts";
import { endWork } from "./end-work.ts";
import { factsOf, type GithubEvent, readPayload } from "./github-event.ts";
import { keepInstallation, knownBy, tellsOfInstallation } from "./keep-installations.ts";
import {
  type GithubParts,
  type PlannedWork,
  planWork,
  type StartedEffect,
  startPlanned,
} from "./plan-work.ts";
import { wakeWatches } from "./wake-watches.ts";

export interface ClaimedEvent {
  readonly id: string;
  readonly place: string;
  readonly delivery_id: string;
  readonly event: string;
  readonly body: Buffer;
  readonly is_form: boolean;
  readonly replay: number;
  readonly attempt: number;
  readonly failures: number;
  /** Those of the failures that waiting does not mend. */
  readonly refusals: number;
  /** Since it came or was replayed. */
  readonly waited_ms: number;
  readonly lost: number;
  readonly received_at: Date;
  readonly sent_at: Date;
  /** Who has it. */
  readonly dispatcherId: string;
}

export interface Settlement {
  readonly status: "pending" | "handled" | "ignored" | "failed";
  readonly afterMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface HandleParts extends GithubParts {
  /** To write in: whoever sends events waits for connections, too. */
  readonly places: FairPlaces;
}

const PLACE_PATIENCE_MS = 60_000;

/** Throws when it could not be handled, with nothing of it written. False: another has it meanwhile. */
export async function handleEvent(
  parts: HandleParts,
  claimed: ClaimedEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const event = eventOf(claimed);
  const planned = event.installation === undefined ? [] : await planWork(parts, event, signal);
  const leave = await placeIn(parts.places, claimed, signal);
  try {
    if (planned.length === 0 && event.name !== "push" && !tellsOfInstallation(event)) {
      return await ignoreEvent(parts, claimed, event);
    }
    return await despiteDeadlocks(() => writeEffects(parts, claimed, event, planned));
  } finally {
    leave();
  }
}

/** However long it takes: nobody is to blame. */
async function placeIn(
  places: FairPlaces,
  { id }: ClaimedEvent,
  signal: AbortSignal,
): Promise<() => void> {
  for (;;) {
    const leave = await places.take(id, PLACE_PATIENCE_MS, signal);
    if (leave !== undefined) return leave;
  }
}

async function writeEffects(
  parts: GithubParts,
  claimed: ClaimedEvent,
  event: GithubEvent,
  planned: readonly PlannedWork[],
): Promise<boolean> {
  const { database, config } = parts;
  return await inTransaction(database, async (client) => {
    if (!(await isStillOurs(client, claimed))) return false;
    const told = await keepInstallation(client, event);
    const woken = await wakeWatches(client, config, event);
    const going = await endWork(client, event);
    const started = await startPlanned(parts, client, event, { planned, going });
    const effects = [...told, ...woken, ...started];
    await keepEffects(client, claimed, effects);
    const status = effects.length > 0 ? "handled" : "ignored";
    return await settleEvent(client, claimed, { status });
  });
}

/** Most events: in one step. */
async function ignoreEvent(
  { database: { pool } }: GithubParts,
  { id, dispatcherId, attempt }: ClaimedEvent,
  event: GithubEvent,
): Promise<boolean> {
  const { rows } = await pool.query<{ is_told: boolean }>({
    name: "ignore-event",
    text: "select croft.ignore_event($1, $2, $3, $4, $5, $6, $7, $8, $9) as is_told",
    values: [id, dispatcherId, attempt, event.installation ?? null, ...knownBy(event)],
  });
  return rows[0]?.is_told === true;
}

/** What became of it, if it is still ours. */
export async function settleEvent(
  client: Queryable,
  { id, dispatcherId, attempt }: ClaimedEvent,
  { status, afterMs = 0, error }: Settlement,
): Promise<boolean> {
  const { rows } = await client.query<{ is_told: boolean }>(
    "select croft.settle_event($1, $2, $3, $4, $5, $6) as is_told",
    [id, dispatcherId, attempt, status, afterMs, error === undefined ? null : error],
  );
  return rows[0]?.is_told === true;
}

/** Locked until the end: nobody takes it from us between here and there. */
async function isStillOurs(
  client: Queryable,
  { id, dispatcherId, attempt }: ClaimedEvent,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from croft.inbox where id = $1 and dispatcher_id = $2 and attempt = $3 and status = 'pending' for update`,
    [id, dispatcherId, attempt],
  );
  return rowCount === 1;
}

async function keepEffects(
  client: Queryable,
  { id, replay }: ClaimedEvent,
  effects: readonly StartedEffect[],
): Promise<void> {
  for (const { trigger, jobId, runId, problem } of effects) {
    await client.query(
      `insert into croft.inbox_effect (inbox_id, replay, trigger, job_id, run_id, problem)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, replay, trigger, jobId ?? null, runId ?? null, problem ?? null],
    );
  }
}

function eventOf(claimed: ClaimedEvent): GithubEvent {
  const { id, place, delivery_id, event, body, is_form, received_at, sent_at } = claimed;
  const { replay, failures } = claimed;
  const payload = readPayload(body, is_form);
  return {
    ...{ id, place: Number(place), deliveryId: delivery_id, name: event, replay, failures },
    ...{ ...factsOf(payload), payload, receivedAt: received_at, sentAt: sent_at },
  };
}
