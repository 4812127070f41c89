-- Apps are told of the end of their jobs and runs; what watches leave behind goes when it has had its time.

create index sync_settled on croft.sync (settled_at) where state = 'settled';

-- Deliveries that were settled before, however they ended, with their tries; oldest first. One that a later one stands in
-- the way of was settled before that one, and so never outlives it. What is being sent again at this moment is left alone.
create function croft.forget_deliveries(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.delivery where id = any (array(
    select id from croft.delivery where settled_at < p_before order by settled_at limit p_max for update skip locked));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- Syncs of which nothing is left to tell.
create function croft.forget_syncs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.sync where id = any (array(
    select id from croft.sync s where state = 'settled' and settled_at < p_before
      and not exists (select from croft.delivery where sync_id = s.id)
    order by settled_at limit p_max for update skip locked));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- How many days before its end its owner was last told of it.
alter table croft.credential add warned_days integer;

-- Whether its app is told of its end; null is no, so that a job that did not ask has no byte more.
alter table croft.job add notify boolean;
alter table croft.run add notify boolean;

-- As those that programs make: they begin with the time.
create function croft.new_id() returns uuid
language sql volatile
as $$
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$$;

create function croft.wire_time(p_time timestamptz) returns text
language sql stable
as $$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- The app of an owner, if it is there and has an address.
create function croft.told_app(p_owner text) returns uuid
language sql stable
as $$
  select id from croft.app
  where id = case when p_owner ~ '^app:[0-9a-f-]{36}$' then substr(p_owner, 5)::uuid end
    and deleted_at is null and base_url is not null
$$;

-- The same as `croft.enqueue`, for jobs of which some tell their end.
create function croft.enqueue_telling(p_jobs jsonb) returns table (asked uuid, job_id uuid, outcome text)
language plpgsql as $$
begin
  return query select e.asked, e.job_id, e.outcome from croft.enqueue(p_jobs) e;
  update croft.job set notify = true where id in (
    select a.id from jsonb_to_recordset(p_jobs) as a(id uuid, notify boolean) where a.notify);
end $$;

-- In the transaction that ends them. Short: whoever wants to know more asks.
create function croft.tell_finished(p_jobs uuid[]) returns void
language plpgsql as $$
begin
  insert into croft.delivery (id, app_id, type, data)
    select croft.new_id(), x.app_id, 'job.finished', jsonb_build_object('job', jsonb_build_object(
      'id', j.id, 'type', j.type, 'key', nullif(j.key, ''), 'status', j.status, 'attempt', j.attempt,
      'error', j.error - 'details', 'source_task_id', j.source_task_id, 'retry_of', j.retry_of,
      'created_at', croft.wire_time(j.created_at), 'started_at', croft.wire_time(j.started_at),
      'finished_at', croft.wire_time(j.finished_at)))
    from croft.job j cross join lateral (select croft.told_app(j.owner) as app_id) x
    where j.id = any (p_jobs) and x.app_id is not null;
  if found then perform pg_notify('croft_delivery', ''); end if;
end $$;

-- A run that is gone on with ends once more, and is told of once more.
create function croft.tell_finished_run() returns trigger
language plpgsql as $$
begin
  insert into croft.delivery (id, app_id, type, data)
    select croft.new_id(), x.app_id, 'run.finished', jsonb_build_object('run', jsonb_build_object(
      'id', new.id, 'name', new.name, 'number', new.number, 'status', new.status, 'attempt', new.attempt,
      'error', new.error - 'details', 'repository', new.repository, 'ref', new.ref, 'commit', new.commit,
      'created_at', croft.wire_time(new.created_at), 'started_at', croft.wire_time(new.started_at),
      'finished_at', croft.wire_time(new.finished_at)))
    from (select croft.told_app(new.owner) as app_id) x where x.app_id is not null;
  if found then perform pg_notify('croft_delivery', ''); end if;
  return null;
end $$;
create trigger run_finished after update of status on croft.run for each row
  when (new.notify and old.finished_at is null and new.finished_at is not null) execute function croft.tell_finished_run();

-- Those that nobody watches any more are not asked any more. Whoever begins to watch one holds it; another statement than
-- the one that locks sees whether they do.
create function croft.forget_repositories() returns void
language plpgsql as $$
declare
  v_repositories uuid[];
begin
  v_repositories := array(
    select id from croft.repository r where not exists (select from croft.watch where repository_id = r.id)
    order by id for update skip locked);
  delete from croft.repository r
    where id = any (v_repositories) and not exists (select from croft.watch where repository_id = r.id);
end $$;
