-- Runs of pipelines. A run is a row of its own, its steps are jobs; it goes on when one of them has ended.

create table croft.pipeline (
  id uuid primary key,
  owner text not null,
  name text not null,
  version integer not null default 1,
  -- What starts it, as its newest version says; whoever hears of an event looks here.
  triggers jsonb not null default '{}',
  created_at timestamptz not null default croft.now(),
  updated_at timestamptz not null default croft.now(),
  unique (owner, name)
);

create table croft.pipeline_version (
  pipeline_id uuid not null references croft.pipeline on delete cascade,
  version integer not null,
  text text not null,
  created_by text not null,
  created_at timestamptz not null default croft.now(),
  primary key (pipeline_id, version)
);

/*
 *   queued ──▶ running ──▶ done | failed | cancelled ──retry──▶ queued
 *     ▲           │
 *     │           ▼
 *     └─────── waiting   for an approval, without its lane
 */
create type croft.run_status as enum ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled');

create table croft.run (
  id uuid primary key,
  owner text not null,
  name text not null,
  -- Counts the runs of one name of one owner.
  number integer not null,
  status croft.run_status not null default 'queued',
  -- The exact text that runs, whatever becomes of the file or the stored pipeline.
  text text not null,
  file text,
  pipeline_id uuid,
  pipeline_version integer,
  -- Texts of the pipelines that steps use, by the name they are used by; known when it starts.
  uses jsonb not null default '{}',
  inputs jsonb not null,
  event jsonb,
  repository text not null,
  ref text,
  commit text,
  kind text,
  key text not null default '',
  class smallint not null default 1,
  -- The job that gets it its lane and finds out its commit.
  start_job_id uuid,
  -- Of a retry more; the steps that had ended well keep what they have.
  attempt integer not null default 1,
  parent_id uuid references croft.run on delete cascade,
  -- The outermost of those that it is used by; they take their turns together.
  root_id uuid,
  parent_step text,
  parent_item text,
  started_by text not null,
  -- An id of its owner's; its jobs and files have the same.
  source_task_id text,
  cancel_requested_at timestamptz,
  -- Asked for twice, or at once with force: not even what runs `always()` does.
  cancel_forced_at timestamptz,
  error jsonb,
  outputs jsonb,
  -- How often in a row it could not go on, and since when: it is given up in the end.
  advance_failures integer not null default 0,
  advance_failing_since timestamptz,
  seq integer not null default 1,
  -- From then on its commits and bundles may be gone: it cannot be retried any more.
  results_removed_at timestamptz,
  created_at timestamptz not null default croft.now(),
  started_at timestamptz,
  finished_at timestamptz
);

create index run_source on croft.run (owner, source_task_id) where source_task_id is not null;

-- Which request under which key made it: the same again within a day is that run.
create table croft.run_request (
  owner text not null,
  key text not null,
  digest bytea not null,
  run_id uuid not null references croft.run on delete cascade deferrable initially deferred,
  expires_at timestamptz not null,
  primary key (owner, key)
);
create index run_request_run on croft.run_request (run_id);

create table croft.run_counter (
  owner text not null,
  name text not null,
  last integer not null,
  primary key (owner, name)
);
create index run_owner on croft.run (owner, id);
create index run_open on croft.run (id) where status in ('queued', 'running', 'waiting');
create index run_parent on croft.run (parent_id) where parent_id is not null;
create index run_age on croft.run (finished_at) where parent_id is null and finished_at is not null;
create index job_run on croft.job (run_id) where run_id is not null;

create type croft.step_status as enum ('pending', 'running', 'waiting', 'done', 'failed', 'skipped', 'cancelled');

-- One row a step (item '') and one for each item of its matrix.
create table croft.run_step (
  run_id uuid not null references croft.run on delete cascade,
  step text not null,
  item text not null default '',
  position integer not null,
  status croft.step_status not null default 'pending',
  is_group boolean not null default false,
  matrix jsonb,
  depends_on text[] not null default '{}',
  job_id uuid,
  child_id uuid,
  -- How often the sub-pipeline was started, and when it is again.
  child_attempts integer not null default 0,
  retry_at timestamptz,
  outputs jsonb,
  commit text,
  base text,
  branch text,
  report jsonb,
  summary text,
  error jsonb,
  reason text,
  -- What whoever is asked for an approval is told.
  message text,
  decided_by text,
  decided_at timestamptz,
  deadline_at timestamptz,
  stopped_at timestamptz,
  -- Begun when the run was cancelled already, as what runs `always()` is.
  is_after_cancel boolean not null default false,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (run_id, step, item)
);
create index run_step_job on croft.run_step (job_id) where job_id is not null;
create index run_step_child on croft.run_step (run_id) include (child_id) where child_id is not null;
create index run_step_deadline on croft.run_step (deadline_at) where status in ('waiting', 'running') and stopped_at is null;
create index run_step_retry on croft.run_step (retry_at) where status = 'running';

-- Whoever sees one of these goes on with its run. No key: it must be possible to say so whatever is locked.
create table croft.run_due (
  run_id uuid not null,
  due_at timestamptz not null default croft.now()
);
create index run_due_run on croft.run_due (run_id);

-- Places in lanes that runs keep between their steps.
create table croft.lane_hold (
  run_id uuid primary key,
  lane_id uuid not null
);

create function croft.mark_due(p_runs uuid[]) returns void
language plpgsql as $$
begin
  insert into croft.run_due (run_id) select distinct unnest(p_runs);
  perform pg_notify('croft_run', '');
end $$;

-- One place more in this lane, for whoever is next.
create function croft.free_place(p_lane uuid) returns void
language plpgsql as $$
declare
  v_before croft.lane[];
begin
  perform croft.lock_lanes(array[p_lane]);
  v_before := croft.read_lanes(array[p_lane]);
  update croft.lane l set running = l.running - 1, used_at = croft.now(),
      turn = case when croft.is_open(l) then l.turn else greatest(l.turn, (select clock from croft.owner where id = l.owner)) end
    where id = p_lane;
  perform croft.count_ready(v_before);
  perform pg_notify('croft_wake', '');
end $$;

-- False when the run had no place.
create function croft.release_lane(p_run uuid) returns boolean
language plpgsql as $$
declare
  v_lane uuid;
begin
  delete from croft.lane_hold where run_id = p_run returning lane_id into v_lane;
  if v_lane is null then return false; end if;
  perform croft.free_place(v_lane);
  return true;
end $$;

-- The places of these jobs, which have ended, are their runs' now. A run that has ended, or gets its lane by another job
-- since, needs none: then it is free.
create function croft.hold_lanes(p_jobs uuid[]) returns void
language plpgsql as $$
declare
  v_lane uuid;
begin
  for v_lane in
    with kept as (
      insert into croft.lane_hold (run_id, lane_id)
        select r.id, j.lane_id from croft.job j join croft.run r on r.id = j.run_id
        where j.id = any (p_jobs) and r.start_job_id = j.id and r.finished_at is null
        on conflict do nothing returning run_id
    )
    select j.lane_id from croft.job j
      where j.id = any (p_jobs) and not exists (
        select from kept k join croft.run r on r.id = k.run_id where r.start_job_id = j.id)
  loop
    perform croft.free_place(v_lane);
  end loop;
end $$;
