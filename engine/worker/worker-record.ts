// What the database knows of a worker: that it is there, what it runs, and how it ended.
import type { Database } from "../database/open-database.ts";
import type { HostIdentity } from "./end-dead-workers.ts";

export interface NewWorker {
  readonly workerId: string;
  readonly host: HostIdentity;
  readonly version: string;
  readonly slots: number;
  readonly types: readonly string[];
  readonly leaseMs: number;
}

export async function recordWorker(database: Database, worker: NewWorker): Promise<void> {
  const { workerId, host, slots, types, version, leaseMs } = worker;
  await database.pool.query(
    `with made as (
       insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
       values ($1, $2, $3, $4, $5, $6, $7, $8, croft.now() + make_interval(secs => $9::float8 / 1000))
     ), told as (
       insert into croft.event (subject, seq, owner, type, data)
         values ($1, 1, 'local', 'worker.started', jsonb_build_object('host', $3::text, 'slots', $6::integer))
     )
     select croft.announce(array[$1::uuid])`,
    [workerId, host.id, host.name, host.pid, host.start, slots, types, version, leaseMs],
  );
}

export async function recordDraining(database: Database, workerId: string): Promise<void> {
  await database.pool.query("select croft.drain_worker($1)", [workerId]);
}

export interface WorkerEnd {
  readonly workerId: string;
  readonly outcome: "drained" | "lost";
  readonly reason: string;
  readonly maxLost: number;
}

/** What it still had goes to others. */
export async function recordEnd(database: Database, end: WorkerEnd): Promise<void> {
  const values = [end.workerId, end.outcome, end.reason, end.maxLost];
  await database.pool.query("select croft.end_worker($1, $2, $3, $4)", values);
}

/** Jobs of this worker that somebody wants to end. */
export async function readCancelled(database: Database, workerId: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    "select id from croft.job where worker_id = $1 and status = 'running' and cancel_requested_at is not null",
    [workerId],
  );
  return rows.map(({ id }) => id);
}

/** Whether jobs are this worker's of which it does not know. */
export async function runsOthersThan(
  database: Database,
  workerId: string,
  known: readonly string[],
): Promise<boolean> {
  const { rows } = await database.pool.query<{ is_unknown: boolean }>(
    `select exists (select from croft.job where worker_id = $1 and status = 'running' and id <> all ($2)) as is_unknown`,
    [workerId, known],
  );
  return rows[0]?.is_unknown === true;
}
