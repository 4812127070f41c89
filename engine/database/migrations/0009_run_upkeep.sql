-- What runs need around them: schedules that start them, the workspaces of their steps, and their end.

-- A schedule submits a job, or starts runs of a stored pipeline: then it is the pipeline's, which names it.
alter table croft.schedule
  alter column job drop not null,
  add column pipeline_id uuid references croft.pipeline on delete cascade,
  add column last_run_id uuid,
  add constraint schedule_starts_one_thing check ((job is null) <> (pipeline_id is null)),
  drop constraint schedule_owner_name_key;
create unique index schedule_name on croft.schedule (owner, name) where pipeline_id is null;
create unique index schedule_pipeline on croft.schedule (pipeline_id, cron, time_zone) where pipeline_id is not null;

-- Workspaces on disk are in croft.workspace, and only they. What was removed is told of here for as long as its job is.
alter table croft.workspace add column removing_at timestamptz;
create index workspace_run on croft.workspace ((entry ->> 'runId'));

create table croft.removed_workspace (
  id text not null,
  host text not null,
  kind text not null,
  path text not null,
  job_id uuid not null,
  attempt integer not null,
  run_id uuid,
  created_at timestamptz not null,
  removed_at timestamptz not null default croft.now()
);
create index removed_workspace_run on croft.removed_workspace (run_id) where run_id is not null;
create index removed_workspace_age on croft.removed_workspace (removed_at);

-- In the stream of its job, while that attempt runs; what a sweep removes later is told by its row alone.
create function croft.tell_workspace(p_type text, p_host text, p_entry jsonb) returns void
language plpgsql as $$
declare
  v_job uuid := (p_entry ->> 'jobId')::uuid;
begin
  with changed as (
    update croft.job set seq = seq + 1, event_xid = greatest(event_xid, pg_current_xact_id())
    where id = v_job and status = 'running' and attempt = (p_entry ->> 'attempt')::integer
    returning id, owner, seq, event_xid, attempt, run_id, step
  )
  insert into croft.event (subject, seq, xid, owner, type, data)
    select id, seq, event_xid, owner, p_type, jsonb_build_object(
      'workspace', p_entry ->> 'id', 'kind', p_entry ->> 'kind', 'path', p_entry ->> 'path', 'host', p_host,
      'attempt', attempt, 'job_id', id, 'run_id', run_id, 'step', step)
    from changed;
  if found then perform croft.announce(array[v_job]); end if;
end $$;

-- False when the id is taken. The same entry twice is one that was asked for again because the answer was lost.
create function croft.enter_workspace(p_id text, p_host text, p_entry jsonb) returns boolean
language plpgsql as $$
begin
  insert into croft.workspace (id, host, entry) values (p_id, p_host, p_entry) on conflict (id) do nothing;
  if found then
    perform croft.tell_workspace('workspace.created', p_host, p_entry);
    return true;
  end if;
  return exists (select from croft.workspace where id = p_id and host = p_host and entry = p_entry);
end $$;

create function croft.leave_workspace(p_id text, p_host text) returns void
language plpgsql as $$
declare
  v_entry jsonb;
  v_created_at timestamptz;
begin
  delete from croft.workspace where id = p_id and host = p_host returning entry, created_at into v_entry, v_created_at;
  if v_entry ->> 'jobId' is null or v_entry ->> 'attempt' is null then return; end if;
  insert into croft.removed_workspace (id, host, kind, path, job_id, attempt, run_id, created_at)
    values (p_id, p_host, v_entry ->> 'kind', v_entry ->> 'path', (v_entry ->> 'jobId')::uuid,
      (v_entry ->> 'attempt')::integer, (v_entry ->> 'runId')::uuid, v_created_at);
  perform croft.tell_workspace('workspace.removed', p_host, v_entry);
end $$;

create function croft.forget_workspaces(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.removed_workspace where ctid = any (array(
    select ctid from croft.removed_workspace where removed_at < p_before limit p_max));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- A run and all that it used.
create function croft.runs_below(p_runs uuid[]) returns uuid[]
language sql stable as $$
  with recursive tree as (
    select id from croft.run where id = any (p_runs)
    union
    select r.id from croft.run r join tree on r.parent_id = tree.id
  )
  select coalesce(array_agg(id), '{}') from tree
$$;

-- With all that they use, as far as nobody is at work on it: a run that was passed by is told by the one that uses it, when
-- that goes on. Those of one that was told before are its own matter: it may have begun them since, to tidy up.
create function croft.cancel_runs(p_runs uuid[], p_is_forced boolean) returns void
language plpgsql as $$
declare
  v_runs uuid[];
begin
  perform from croft.run where id = any (p_runs) and finished_at is null order by id for update;
  v_runs := array(
    with recursive untold as (
      select id from croft.run
        where id = any (p_runs) and finished_at is null
          and case when p_is_forced then cancel_forced_at else cancel_requested_at end is null
      union
      select r.id from croft.run r join untold on r.parent_id = untold.id
        where r.finished_at is null and case when p_is_forced then r.cancel_forced_at else r.cancel_requested_at end is null
    )
    select id from croft.run where id in (select id from untold) order by id for update skip locked);
  update croft.run set
      cancel_requested_at = coalesce(cancel_requested_at, croft.now()),
      cancel_forced_at = case when p_is_forced then coalesce(cancel_forced_at, croft.now()) else cancel_forced_at end
    where id = any (v_runs) and finished_at is null;
  perform croft.mark_due(v_runs || p_runs);
end $$;

-- Runs that ended before give up their results: first they say so, and can be retried no more; then bundles go, and each
-- host removes the commits that it has when it finds that they are not wanted.
create function croft.forget_results(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_runs_max constant integer := 50;
  v_runs uuid[];
  v_bundles integer;
begin
  v_runs := array(
    select id from croft.run
    where parent_id is null and finished_at < p_before and results_removed_at is null
    order by finished_at limit v_runs_max for update skip locked);
  update croft.run set results_removed_at = croft.now() where id = any (croft.runs_below(v_runs));
  v_bundles := croft.remove_assets(array(
    select a.id from croft.asset a join croft.run r on r.id = a.run_id
    where a.kind = 'bundle' and r.results_removed_at is not null limit p_max));
  return cardinality(v_runs) = v_runs_max or v_bundles = p_max;
end $$;
create index asset_bundle on croft.asset (run_id) where kind = 'bundle';

-- Runs that ended before, with everything that is theirs. One with very many steps goes in several parts, its own row last:
-- it has given up its results before, so nobody can begin with it again meanwhile.
create function croft.forget_runs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_runs_max constant integer := 20;
  v_roots uuid[];
  v_runs uuid[];
  v_jobs uuid[];
  v_count integer;
begin
  v_roots := array(
    select id from croft.run
    where parent_id is null and finished_at < p_before and results_removed_at is not null
    order by finished_at limit v_runs_max for update skip locked);
  if cardinality(v_roots) = 0 then return false; end if;
  v_runs := croft.runs_below(v_roots);

  v_jobs := array(
    select id from croft.job
    where run_id = any (v_runs) and status in ('done', 'failed', 'cancelled') limit p_max);
  delete from croft.event where subject = any (v_jobs);
  delete from croft.job where id = any (v_jobs);
  if cardinality(v_jobs) = p_max then return true; end if;
  if exists (select from croft.job where run_id = any (v_runs)) then return false; end if; -- none should run still

  if croft.remove_assets(array(select id from croft.asset where run_id = any (v_runs) limit p_max)) = p_max then
    return true;
  end if;
  delete from croft.run_step where ctid = any (array(
    select ctid from croft.run_step where run_id = any (v_runs) limit p_max));
  get diagnostics v_count = row_count;
  if v_count = p_max then return true; end if;
  delete from croft.removed_workspace where run_id = any (v_runs);
  delete from croft.run_due where run_id = any (v_runs);
  delete from croft.event where subject = any (v_runs);
  delete from croft.run where id = any (v_roots);
  return cardinality(v_roots) = v_runs_max;
end $$;

-- As before, but those of a run go with it: as long as it can be looked at, so can the logs of its steps.
create or replace function croft.forget_jobs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.job where id = any (array(
    select id from croft.job j
    where id < (lpad(to_hex((extract(epoch from p_before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      and finished_at < p_before
      and (run_id is null or not exists (select from croft.run where id = j.run_id))
    order by id limit p_max));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;
