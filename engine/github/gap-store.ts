// What is known of events that did not arrive: how far GitHub's list was compared with the inbox, and which are missing.
import type { Queryable } from "../database/in-transaction.ts";

/** One attempt of GitHub's to deliver an event. */
export interface Delivery {
  readonly id: number | bigint;
  /** The same for each attempt: X-GitHub-Delivery. */
  readonly guid: string;
  readonly event: string;
  readonly delivered_at: string;
  readonly status_code?: number | undefined;
}

export interface Gap {
  readonly delivery_id: string;
  readonly github_id: string;
  readonly event: string;
}

/** A look at GitHub's list: from the page of its cursor, or from the newest, back to that time. */
export interface Look {
  readonly sinceMs: number;
  readonly cursor: string | null;
}

/** GitHub sends nothing again that is older. */
const BACK_MS = 3 * 86_400_000;
/** Lists are not in the order of arrival to the second. */
const OVERLAP_MS = 300_000;
/**
 * What a fail-over may lose was answered so shortly before it, and its work has hardly begun. What is older was done by the
 * database that is lost, and is to be seen at GitHub: to ask for it would do it again.
 */
const LOST_MS = 600_000;
/** A look that is no further by then begins anew, whatever it is that keeps it. */
const LOOK_MS_MAX = 86_400_000;

/**
 * For one process at a time, as long as its dispatcher lives; undefined when another is at it. A database that is another one
 * than the last time, restored or after a fail-over, or that never looked, believes that what was answered was handled.
 */
export async function takeLook(client: Queryable, dispatcherId: string): Promise<Look | undefined> {
  const { rows } = await client.query<{ since: number; cursor: string | null }>(
    `update croft.gap_check g set dispatcher_id = $1, era = f.era,
         answered_until = case when g.era is null then croft.now() when g.era = f.era then answered_until
           else croft.now() - make_interval(secs => $5::float8 / 1000) end,
         newest = case when newest > croft.now() - make_interval(secs => $2::float8 / 1000) then newest end,
         next_cursor = case when newest > croft.now() - make_interval(secs => $2::float8 / 1000) then next_cursor end
       from croft.event_floor f
       where dispatcher_id is null or dispatcher_id = $1
         or not exists (select from croft.dispatcher d where d.id = g.dispatcher_id)
       returning next_cursor as cursor,
         extract(epoch from greatest(croft.now() - make_interval(secs => $3::float8 / 1000),
           checked_until - make_interval(secs => $4::float8 / 1000)))::float8 * 1000 as since`,
    [dispatcherId, LOOK_MS_MAX, BACK_MS, OVERLAP_MS, LOST_MS],
  );
  const [row] = rows;
  return row === undefined ? undefined : { sinceMs: row.since, cursor: row.cursor };
}

export async function leaveLook(client: Queryable, dispatcherId: string): Promise<void> {
  await client.query("update croft.gap_check set dispatcher_id = null where dispatcher_id = $1", [
    dispatcherId,
  ]);
}

/** The next look begins with the newest; what is known to be missing stays known. */
export async function beginAnew(client: Queryable, dispatcherId: string): Promise<void> {
  await client.query(
    "update croft.gap_check set newest = null, next_cursor = null where dispatcher_id = $1",
    [dispatcherId],
  );
}

/**
 * What of a page is missing, and how far the look is by that, in one step: whoever goes on after a crash misses none. Without a
 * next page it is through. Says which are missing; undefined when the look is another's meanwhile.
 */
export async function keepPage(
  client: Queryable,
  dispatcherId: string,
  { listed, newest, cursor }: KeptPage,
): Promise<readonly string[] | undefined> {
  const { rows } = await client.query<{ missing: readonly string[]; is_ours: boolean }>(
    `with known as (
       insert into croft.gap as g (delivery_id, github_id, event, delivered_at, is_answered)
         select guid, max(id), min(event), min(delivered_at),
           bool_or(coalesce(status_code between 200 and 299 and delivered_at < answered_until, false))
         from jsonb_to_recordset($2) as d(guid text, id bigint, event text, delivered_at timestamptz, status_code integer),
           croft.gap_check
         where not exists (select from croft.inbox i where i.delivery_id = d.guid) group by guid
       on conflict (delivery_id) do update set github_id = greatest(g.github_id, excluded.github_id),
         delivered_at = least(g.delivered_at, excluded.delivered_at), is_answered = g.is_answered or excluded.is_answered
       returning delivery_id, is_answered
     ), kept as (
       update croft.gap_check set checked_at = croft.now(), next_cursor = $4,
           newest = case when $4::text is not null then coalesce(newest, $3) end,
           checked_until = case when $4 is null then greatest(checked_until, newest, $3) else checked_until end
         where dispatcher_id = $1 returning 1
     )
     select array(select delivery_id from known where not is_answered) as missing, exists (select from kept) as is_ours`,
    [
      dispatcherId,
      JSON.stringify(listed.map((delivery) => ({ ...delivery, id: String(delivery.id) }))),
      ...[newest ?? null, cursor ?? null],
    ],
  );
  return rows[0]?.is_ours === true ? rows[0].missing : undefined;
}

export interface KeptPage {
  readonly listed: readonly Delivery[];
  /** Of all on the page. */
  readonly newest: string | undefined;
  readonly cursor: string | undefined;
}

/** Those that have come, here or elsewhere, and those that are too old to come; says which these are. */
export async function forgetSettled(client: Queryable): Promise<readonly Gap[]> {
  await client.query(
    "delete from croft.gap g using croft.inbox i where i.delivery_id = g.delivery_id",
  );
  await client.query(
    "delete from croft.gap where is_answered and exists (select from croft.gap_check where next_cursor is null)",
  );
  const { rows } = await client.query<Gap>(
    `delete from croft.gap where not is_answered and found_at < croft.now() - make_interval(secs => $1::float8 / 1000)
     returning delivery_id, github_id, event`,
    [BACK_MS],
  );
  return rows;
}

/** The oldest first. One that does not arrive is due more and more seldom. */
export async function dueGaps(
  client: Queryable,
  { everyMs, max }: { readonly everyMs: number; readonly max: number },
): Promise<readonly Gap[]> {
  const { rows } = await client.query<Gap>(
    `select delivery_id, github_id, event from croft.gap
     where not is_answered and (asked_at is null
       or asked_at < croft.now() - make_interval(secs => $1::float8 / 1000 * 2 ^ least(asked - 1, 10)))
     order by delivered_at, github_id limit $2`,
    [everyMs, max],
  );
  return rows;
}

export async function noteAsked(client: Queryable, { delivery_id }: Gap): Promise<void> {
  await client.query(
    "update croft.gap set asked = asked + 1, asked_at = croft.now() where delivery_id = $1",
    [delivery_id],
  );
}

export async function forgetGap(client: Queryable, { delivery_id }: Gap): Promise<void> {
  await client.query("delete from croft.gap where delivery_id = $1", [delivery_id]);
}
