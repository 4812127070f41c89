// What a bulk action means: jobs, deliveries or watches that were there when it was made, and are as its filter says.
import type { BulkRequest } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { conditionsOf } from "../jobs/read-jobs.ts";
import { appIdOf } from "../watches/read-watches.ts";
import type { BulkRow } from "./read-bulk.ts";

/** Looked at in one statement, so that it ends in time however few of them match. */
const LOOK_MAX = 10_000;

export const TABLES = {
  cancel: "croft.job",
  retry: "croft.job",
  replay: "croft.delivery",
  resync: "croft.watch",
} as const satisfies Record<BulkRequest["action"], string>;

export interface Found {
  readonly ids: readonly string[];
  /** Where to go on: behind this nothing was looked at. Null: all were. */
  readonly lookedUntil: string | null;
}

/** SQL for the rows `j` of a bulk action `b`. Admins' may touch everybody's, all others only their owner's. */
interface Meaning {
  /** By what an index has. */
  readonly inSight: string;
  readonly matches: string;
  readonly values: unknown[];
}

/** The next ones in the order of ids. */
export async function findBulk(client: Queryable, bulk: BulkRow, max: number): Promise<Found> {
  const { inSight, matches, values } = meaningOf(bulk);
  const { rows } = await client.query<{ id: string }>(
    `select j.id from (${before(bulk, inSight, values)} limit ${LOOK_MAX}) j, croft.bulk b
     where b.id = $${values.push(bulk.id)} and ${matches} order by j.id limit ${max}`,
    values,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === max) return { ids, lookedUntil: ids.at(-1) ?? null };
  return { ids, lookedUntil: await endOfSight(client, bulk) };
}

export async function countBulk(client: Queryable, bulk: BulkRow): Promise<number> {
  const { inSight, matches, values } = meaningOf(bulk);
  const { rows } = await client.query<{ total: number }>(
    `select count(*)::integer as total from (${before(bulk, inSight, values)}) j, croft.bulk b
     where b.id = $${values.push(bulk.id)} and ${matches}`,
    values,
  );
  return rows[0]?.total ?? 0;
}

/** Those that are still to come. */
function before({ action, until_id, after_id }: BulkRow, inSight: string, values: unknown[]) {
  const after = after_id === null ? "" : ` and x.id > $${values.push(after_id)}`;
  const until = `x.id <= $${values.push(until_id)}`;
  return `select * from ${TABLES[action]} x where ${inSight} and ${until}${after} order by x.id`;
}

async function endOfSight(client: Queryable, bulk: BulkRow): Promise<string | null> {
  const { inSight, values } = sightOf(bulk, []);
  const { rows } = await client.query<{ id: string }>(
    `select id from (${before(bulk, inSight, values)}) j offset ${LOOK_MAX - 1} limit 1`,
    values,
  );
  return rows[0]?.id ?? null;
}

function meaningOf(bulk: BulkRow): Meaning {
  switch (bulk.action) {
    case "cancel":
    case "retry": {
      const { text, values } = conditionsOf({ owner: ownerOf(bulk) }, bulk.filter);
      // The states it can act on, and no job that it or another has made since.
      const candidates =
        bulk.action === "cancel"
          ? "j.status in ('queued', 'running') and j.created_at <= b.created_at"
          : "j.finished_at <= b.created_at";
      return { ...sightOf(bulk, values), matches: `${candidates} and ${text}` };
    }
    case "replay": {
      const { watch, state } = bulk.filter;
      const { values, ...sight } = sightOf(bulk, []);
      const wanted = [
        "j.settled_at <= b.created_at", // not what it has sent again itself
        ...(watch === undefined ? [] : [`j.watch_id = $${values.push(watch)}`]),
        ...(state === undefined ? [] : [`j.state = $${values.push(state)}`]),
      ];
      return { ...sight, values, matches: wanted.join(" and ") };
    }
    case "resync": {
      const { state, search } = bulk.filter;
      const { values, ...sight } = sightOf(bulk, []);
      const url = "(select lower(url) from croft.repository where id = j.repository_id)";
      const wanted = [
        "j.created_at <= b.created_at",
        ...(state === undefined ? [] : [`j.state = $${values.push(state)}`]),
        ...(search === undefined ? [] : [`position(lower($${values.push(search)}) in ${url}) > 0`]),
      ];
      return { ...sight, values, matches: wanted.join(" and ") };
    }
  }
}

function sightOf(bulk: BulkRow, values: unknown[]): Omit<Meaning, "matches"> {
  const owner = ownerOf(bulk);
  if (bulk.action === "replay" || bulk.action === "resync") {
    const { app } = bulk.filter;
    const conditions = [
      ...(bulk.action === "replay" ? ["x.state in ('failed', 'quarantined')"] : []),
      ...(bulk.action === "resync" ? ["x.removed_at is null"] : []),
      ...(owner === undefined ? [] : [`x.app_id = $${values.push(appIdOf(owner))}`]),
      ...(app === undefined ? [] : [`x.app_id = $${values.push(app)}`]),
      "exists (select from croft.app a where a.id = x.app_id and a.deleted_at is null)",
    ];
    return { inSight: conditions.join(" and "), values };
  }
  const named = owner ?? bulk.filter.owner;
  const inSight = named === undefined ? "true" : `x.owner = $${values.push(named)}`;
  return { inSight, values };
}

function ownerOf({ owner }: BulkRow): string | undefined {
  return owner === "local" ? undefined : owner;
}
