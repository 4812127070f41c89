// The jobs that a bulk action means: those that were there when it was made, and are as its filter says.
import type { Bulk } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { conditionsOf, type Scope } from "../jobs/read-jobs.ts";
import type { BulkRow } from "./read-bulk.ts";

/** What it acts on, by action: the states it can act on, and no job that it or another has made since. */
const CANDIDATES = {
  cancel: "j.status in ('queued', 'running') and j.created_at <= b.created_at",
  retry: "j.finished_at <= b.created_at",
} as const satisfies Record<Bulk["action"], string>;

/** Looked at in one statement, so that it ends in time however few of them match. */
const LOOK_MAX = 10_000;

export interface FoundJobs {
  readonly ids: readonly string[];
  /** Where to go on: behind this nothing was looked at. Null: all were. */
  readonly lookedUntil: string | null;
}

/** Admins' bulk actions may touch everybody's jobs, all others only those of their own owner. */
function scopeOfBulk({ owner }: BulkRow): Scope {
  return { owner: owner === "local" ? undefined : owner };
}

/** The next ones in the order of ids. */
export async function findBulkJobs(
  client: Queryable,
  bulk: BulkRow,
  max: number,
): Promise<FoundJobs> {
  const { text, values } = conditionsOf(scopeOfBulk(bulk), bulk.filter);
  const inSight = jobsInSight(bulk, values);
  const { rows } = await client.query<{ id: string }>(
    `select j.id from (${inSight} limit ${LOOK_MAX}) j, croft.bulk b
     where b.id = $${values.push(bulk.id)} and ${CANDIDATES[bulk.action]} and ${text}
     order by j.id limit ${max}`,
    values,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === max) return { ids, lookedUntil: ids.at(-1) ?? null };
  return { ids, lookedUntil: await endOfSight(client, bulk) };
}

/** Those that are still before it, filtered only by what an index has. */
function jobsInSight({ until_id, after_id, ...bulk }: BulkRow, values: unknown[]): string {
  const owner = bulk.owner === "local" ? bulk.filter.owner : bulk.owner;
  const conditions = [`id <= $${values.push(until_id)}`];
  if (after_id !== null) conditions.push(`id > $${values.push(after_id)}`);
  if (owner !== undefined) conditions.push(`owner = $${values.push(owner)}`);
  return `select * from croft.job where ${conditions.join(" and ")} order by id`;
}

async function endOfSight(client: Queryable, bulk: BulkRow): Promise<string | null> {
  const values: unknown[] = [];
  const { rows } = await client.query<{ id: string }>(
    `select id from (${jobsInSight(bulk, values)}) j offset ${LOOK_MAX - 1} limit 1`,
    values,
  );
  return rows[0]?.id ?? null;
}

export async function countBulkJobs(client: Queryable, bulk: BulkRow): Promise<number> {
  const { text, values } = conditionsOf(scopeOfBulk(bulk), bulk.filter);
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from croft.job j, croft.bulk b
     where b.id = $${values.push(bulk.id)} and j.id <= b.until_id and ${CANDIDATES[bulk.action]} and ${text}`,
    values,
  );
  return rows[0]?.total ?? 0;
}
