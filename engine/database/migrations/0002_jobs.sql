-- Apps and their tokens, the queue, events, logs, workers, schedules and bulk actions: the tables.

create table croft.app (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default croft.now()
);

-- Only digests: whoever reads this table has no token. Two may be valid at a time, while one takes the other's place.
create table croft.app_token (
  id text primary key,
  app_id uuid not null references croft.app on delete cascade,
  digest bytea not null,
  created_at timestamptz not null default croft.now(),
  expires_at timestamptz
);
create index app_token_app on croft.app_token (app_id);

-- How much may run at three levels, and how much does. The counts change only in the transaction that changes the job.
-- `clock` and `turn` are virtual times of start-time fair queueing: a turn is worth one start.
create table croft.queue (
  one boolean primary key default true check (one),
  max_running integer not null default 2147483647 check (max_running > 0),
  owner_limit integer not null default 10 check (owner_limit > 0),
  lane_limit integer not null default 1 check (lane_limit > 0),
  running integer not null default 0,
  clock float8 not null default 0
) with (fillfactor = 10);
insert into croft.queue default values;

-- An owner is open when it has room and an open lane: `ready_*` counts these by the class of their next job, so that a full
-- or idle owner costs a claim nothing. A class is worth eight turns: it goes first, but not for ever.
-- These rows are written with every start. They have no checks and no generated columns, because PostgreSQL reads the text
-- of each such expression anew for every statement: that alone was a third of a claim.
create table croft.owner (
  id text primary key,
  max_running integer not null,
  has_own_limit boolean not null default false,
  running integer not null default 0,
  ready_background integer not null default 0,
  ready_normal integer not null default 0,
  ready_interactive integer not null default 0,
  turn float8 not null default 0,
  clock float8 not null default 0,
  -- None of its open lanes comes before that (see `settle_and_claim`), so what earlier turns left there need not be looked at.
  floor float8 not null default '-infinity'
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index owner_open on croft.owner (
    (turn - 8 * case when ready_interactive > 0 then 2 when ready_normal > 0 then 1 else 0 end), id)
  where running < max_running and ready_background + ready_normal + ready_interactive > 0;

-- A lane is open when it has a job that is due, and room for it. The key '' is the lane of an owner's jobs without a key: it
-- has no limit of its own. The id follows from owner and key (`croft.lane_id`), which spares an index.
create table croft.lane (
  id uuid primary key,
  owner text not null,
  key text not null,
  max_running integer not null,
  has_own_limit boolean not null default false,
  is_paused boolean not null default false,
  running integer not null default 0,
  queued integer not null default 0,
  turn float8 not null default 0,
  head_rank float8,
  head_class smallint,
  seq integer not null default 0,
  used_at timestamptz not null default croft.now()
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index lane_open on croft.lane (owner, (turn - 8 * head_class), id)
  where not is_paused and queued > 0 and running < max_running;

create function croft.lane_id(p_owner text, p_key text) returns uuid
language sql immutable strict parallel safe
as $$ select md5(p_owner || chr(31) || p_key)::uuid $$;

-- Types that were ever asked for: a worker without handlers for one of them that waits has to look for lanes that it can take from.
create table croft.job_type (
  type text primary key
);

/*
 *   queued ──claim──▶ running ──▶ done | failed | cancelled
 *     ▲ │                │
 *     │ └──▶ cancelled   │
 *     └── retry, lost ───┘
 */
create type croft.job_status as enum ('queued', 'running', 'done', 'failed', 'cancelled');

create table croft.job (
  id uuid primary key,
  owner text not null,
  key text not null,
  lane_id uuid not null,
  type text not null,
  class smallint not null,
  status croft.job_status not null default 'queued',
  -- The place in the lane: when it got in line, less an hour for each class, so that waiting counts. Null until it is due.
  rank float8,
  run_at timestamptz not null,
  attempt integer not null default 0,
  attempts integer,
  failures integer not null default 0,
  losses integer not null default 0,
  timeout_ms bigint,
  worker_id uuid,
  seq integer not null default 1,
  -- Of its last event. The next one's is not less, although whoever writes it may have begun earlier and waited.
  event_xid xid8 not null default pg_current_xact_id(),
  cancel_requested_at timestamptz,
  input jsonb not null,
  result jsonb,
  error jsonb,
  progress jsonb,
  dedupe text,
  source_task_id text,
  retry_of uuid,
  run_id uuid,
  step text,
  created_at timestamptz not null default croft.now(),
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1);
create index job_line on croft.job (lane_id, rank, id) where status = 'queued' and rank is not null;
-- For workers that do not take every type.
create index job_line_type on croft.job (type, lane_id, rank, id) where status = 'queued' and rank is not null;
create index job_due on croft.job (run_at) where status = 'queued' and rank is null;
create index job_running on croft.job (worker_id) where status = 'running';
create index job_owner on croft.job (owner, id);
create index job_failed on croft.job (id) where status = 'failed';
create index job_source on croft.job (owner, source_task_id) where source_task_id is not null;
create unique index job_dedupe on croft.job (owner, dedupe)
  where dedupe is not null and status in ('queued', 'running');

create function croft.refuse_revival() returns trigger
language plpgsql as $$
begin
  raise exception 'job % is %, which is final', old.id, old.status using errcode = 'check_violation';
end $$;
create trigger job_final after update of status on croft.job
  for each row when (old.status in ('done', 'failed', 'cancelled')) execute function croft.refuse_revival();

-- `seq` numbers the events of one subject; (xid, place) orders all of them, to be read only below the oldest transaction
-- that still writes.
create table croft.event (
  subject uuid not null,
  seq integer not null,
  owner text not null,
  type text not null,
  data jsonb not null,
  at timestamptz not null default croft.now(),
  xid xid8 not null default pg_current_xact_id(),
  place bigint not null generated always as identity,
  primary key (subject, seq)
);
create index event_order on croft.event (xid, place);
create index event_age on croft.event using brin (at);

-- Up to here events have been forgotten: whoever asks for what came after an older one has missed some.
-- Transaction numbers are those of one cluster: `cluster` says of which, and a new `era` begins whenever that has changed,
-- so that a place in another database, or in one from before it was restored, is known for what it is.
create table croft.event_floor (
  one boolean primary key default true check (one),
  xid xid8 not null,
  place bigint not null default 0,
  era text not null default '',
  cluster text
);
insert into croft.event_floor (xid) values ('0');

-- Differs after a restore, from a dump or to a point in time, and after a fail-over, which may have lost what was last.
create function croft.cluster() returns text
language plpgsql as $$
declare
  v_database constant text := (select oid from pg_database where datname = current_database());
begin
  return concat_ws('/', (select system_identifier from pg_control_system()), v_database,
    left(pg_walfile_name(pg_current_wal_lsn()), 8)); -- its timeline
exception when others then
  return v_database; -- not every provider lets anybody ask for the rest
end $$;

-- For whoever starts, and for readers who find that something cannot be. Numbers that this cluster has not given yet would
-- hold events back until it has, and new ones of jobs that have not ended too: they all become that of this transaction.
-- Their order is then that of their places alone, in which the events of one subject are in order as well.
create function croft.adopt_events() returns void
language plpgsql as $$
declare
  v_cluster constant text := croft.cluster();
begin
  perform from croft.event_floor for update;
  if exists (select from croft.event_floor
      where cluster is not distinct from v_cluster and xid < pg_snapshot_xmax(pg_current_snapshot()))
    and not exists (select from croft.event where xid >= pg_snapshot_xmax(pg_current_snapshot()))
  then return; end if;
  update croft.event set xid = pg_current_xact_id() where xid >= pg_snapshot_xmax(pg_current_snapshot());
  update croft.job set event_xid = pg_current_xact_id() where id = any (array(
    select id from croft.job where status = 'queued' and rank is not null and event_xid >= pg_snapshot_xmax(pg_current_snapshot())
    union all
    select id from croft.job where status = 'queued' and rank is null and event_xid >= pg_snapshot_xmax(pg_current_snapshot())
    union all
    select id from croft.job where status = 'running' and event_xid >= pg_snapshot_xmax(pg_current_snapshot())));
  update croft.event_floor set
    xid = least(xid, pg_current_xact_id()), era = left(gen_random_uuid()::text, 8), cluster = v_cluster;
end $$;

-- Text as it came, redacted, in pieces; `starts_at` counts the bytes of UTF-8 before it.
create table croft.job_log (
  job_id uuid not null references croft.job on delete cascade,
  seq integer not null,
  attempt integer not null,
  stream text not null check (stream in ('stdout', 'stderr', 'croft')),
  starts_at bigint not null,
  text text not null,
  at timestamptz not null default croft.now(),
  primary key (job_id, seq)
);
create index job_log_age on croft.job_log using brin (at);

-- The lease of a worker is the lease of all its attempts: one row is renewed, however many run.
create table croft.worker (
  id uuid primary key,
  host text not null,
  host_name text not null,
  pid integer not null,
  process_start text not null,
  slots integer not null,
  types text[] not null,
  version text not null,
  is_draining boolean not null default false,
  seq integer not null default 1,
  started_at timestamptz not null default croft.now(),
  lease_until timestamptz not null,
  ended_at timestamptz,
  end_reason text
) with (fillfactor = 50);
create index worker_lease on croft.worker (lease_until) where ended_at is null;

create table croft.idempotency (
  owner text not null,
  key text not null,
  digest bytea not null,
  job_id uuid not null,
  expires_at timestamptz not null,
  primary key (owner, key)
);
create index idempotency_expiry on croft.idempotency (expires_at);

create table croft.schedule (
  id uuid primary key,
  owner text not null,
  name text not null,
  cron text not null,
  time_zone text not null,
  overlap text not null check (overlap in ('skip', 'queue', 'replace')),
  is_paused boolean not null default false,
  job jsonb not null,
  next_at timestamptz not null,
  last_at timestamptz,
  last_job_id uuid,
  last_error text,
  created_at timestamptz not null default croft.now(),
  unique (owner, name)
);
create index schedule_next on croft.schedule (next_at) where not is_paused;

create table croft.bulk (
  id uuid primary key,
  owner text not null,
  action text not null check (action in ('cancel', 'retry', 'replay', 'resync')),
  filter jsonb not null,
  status text not null default 'running' check (status in ('running', 'done', 'aborted')),
  total integer not null,
  done integer not null default 0,
  skipped integer not null default 0,
  after_id uuid,
  until_id uuid not null,
  seq integer not null default 1,
  created_at timestamptz not null default croft.now(),
  finished_at timestamptz
);
create index bulk_running on croft.bulk (id) where status = 'running';

-- A workspace on disk, and whose it is: see the ledger of the git package.
create table croft.workspace (
  id text primary key,
  host text not null,
  entry jsonb not null,
  created_at timestamptz not null default croft.now()
);
create index workspace_host on croft.workspace (host);
