// The queue seen from above: lanes, owners, workers.
import type { Lane, LaneChange, LaneList, LaneQuery, QueueState, Worker } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { limitOf } from "./limits.ts";

interface LaneRow {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly max_running: number;
  readonly has_own_limit: boolean;
  readonly is_paused: boolean;
  readonly running: number;
  readonly queued: number;
  readonly used_at: Date;
}

const OWNERS_MAX = 100;
const WORKERS_MAX = 500;

/** The fullest first, so that what waits is on the first page. The cursor is the number of lanes before. */
export async function listLanes({ pool }: Database, query: LaneQuery): Promise<LaneList> {
  const skip = query.cursor === undefined ? 0 : Number(query.cursor);
  if (!Number.isSafeInteger(skip) || skip < 0) {
    throw new EngineError("invalid-input", "not valid: cursor");
  }
  const { rows } = await pool.query<LaneRow>(
    `select * from croft.lane where ($1::text is null or owner = $1)
     order by queued desc, running desc, used_at desc, id limit $2 offset $3`,
    [query.owner ?? null, query.limit + 1, skip],
  );
  const next = rows.length > query.limit ? String(skip + query.limit) : null;
  return { lanes: rows.slice(0, query.limit).map(laneOf), next_cursor: next };
}

export async function changeLane(
  { pool }: Database,
  id: string,
  { limit, paused }: LaneChange,
): Promise<Lane> {
  const { rows: done } = await pool.query<{ done: boolean }>(
    "select croft.change_lane($1, $2, $3, $4) as done",
    [id, limit ?? null, limit !== undefined, paused ?? null],
  );
  const { rows } = await pool.query<LaneRow>("select * from croft.lane where id = $1", [id]);
  const [row] = rows;
  if (done[0]?.done !== true || row === undefined) {
    throw new EngineError("not-found", "there is no such lane; idle lanes go after an hour");
  }
  return laneOf(row);
}

export async function readQueue({ pool }: Database): Promise<QueueState> {
  const { rows } = await pool.query<{
    running: number;
    max_running: number;
    queued: string;
    delayed: string;
    slots: string;
  }>(`
    select q.running, q.max_running,
      (select coalesce(sum(queued), 0) from croft.lane where queued > 0) as queued,
      (select count(*) from croft.job where status = 'queued' and rank is null) as delayed,
      (select coalesce(sum(slots), 0) from croft.worker
        where ended_at is null and not is_draining and lease_until > croft.now()) as slots
    from croft.queue q`);
  const { rows: owners } = await pool.query<{
    owner: string;
    running: number;
    max_running: number;
    queued: string;
    lanes: string;
  }>(`
    select o.id as owner, o.running, o.max_running, sum(l.queued) as queued, count(*) as lanes
    from croft.owner o join croft.lane l on l.owner = o.id and (l.queued > 0 or l.running > 0)
    group by o.id order by sum(l.queued) desc, o.running desc, o.id limit ${OWNERS_MAX}`);
  const [row] = rows;
  return {
    running: row?.running ?? 0,
    limit: limitOf(row?.max_running ?? 0),
    queued: Number(row?.queued ?? 0),
    delayed: Number(row?.delayed ?? 0),
    slots: Number(row?.slots ?? 0),
    owners: owners.map(({ owner, running, max_running, queued, lanes }) => ({
      ...{ owner, running, limit: max_running },
      ...{ queued: Number(queued), lanes: Number(lanes) },
    })),
  };
}

/** Those that live, and those that ended within a day. */
export async function listWorkers({ pool }: Database): Promise<Worker[]> {
  const { rows } = await pool.query<
    Omit<Worker, "host" | "running" | "started_at" | "lease_until" | "ended_at"> & {
      host_name: string;
      running: string;
      started_at: Date;
      lease_until: Date;
      ended_at: Date | null;
    }
  >(`
    select w.id, w.host_name, w.pid, w.version, w.slots, w.types, w.end_reason, w.started_at, w.lease_until, w.ended_at,
      (select count(*) from croft.job j where j.worker_id = w.id and j.status = 'running') as running,
      case when w.ended_at is not null then 'ended' when w.lease_until <= croft.now() then 'silent'
        when w.is_draining then 'draining' else 'live' end as state
    from croft.worker w
    where w.ended_at is null or w.ended_at > croft.now() - interval '1 day'
    order by w.ended_at desc nulls first, w.started_at desc limit ${WORKERS_MAX}`);
  return rows.map(({ host_name, running, started_at, lease_until, ended_at, ...rest }) => ({
    ...rest,
    host: host_name,
    running: Number(running),
    started_at: started_at.toISOString(),
    lease_until: lease_until.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }));
}

function laneOf(row: LaneRow): Lane {
  const { id, owner, key, max_running, has_own_limit, is_paused, running, queued } = row;
  return {
    ...{ id, owner, has_own_limit, running, queued },
    key: key === "" ? null : key,
    limit: limitOf(max_running),
    paused: is_paused,
    used_at: row.used_at.toISOString(),
  };
}
