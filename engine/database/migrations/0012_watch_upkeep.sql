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

-- A part of what is left of a watch that was removed, what is on its way first; true when there is more.
create function croft.forget_watch(p_watch uuid, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  perform from croft.watch where id = p_watch and removed_at is not null for no key update skip locked;
  if not found then return false; end if; -- gone, or somebody else is at it
  delete from croft.delivery where id = any (array(
    (select id from croft.delivery where watch_id = p_watch and state in ('staged', 'pending', 'sending') limit p_max)
    union
    (select id from croft.delivery where watch_id = p_watch limit p_max)
    limit p_max));
  get diagnostics v_count = row_count;
  if v_count = p_max then return true; end if;
  delete from croft.sync where id = any (array(select id from croft.sync where watch_id = p_watch limit p_max));
  get diagnostics v_count = row_count;
  if v_count = p_max then return true; end if;
  delete from croft.watch where id = p_watch;
  return false;
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
  perform croft.leave_lines(p_jobs);
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
      'source_task_id', new.source_task_id,
      'created_at', croft.wire_time(new.created_at), 'started_at', croft.wire_time(new.started_at),
      'finished_at', croft.wire_time(new.finished_at)))
    from (select croft.told_app(new.owner) as app_id) x where x.app_id is not null;
  if found then perform pg_notify('croft_delivery', ''); end if;
  return null;
end $$;
create trigger run_finished after update of status on croft.run for each row
  when (new.notify and old.finished_at is null and new.finished_at is not null) execute function croft.tell_finished_run();

-- That a watch fails, or works again: told in this order, however often the first has to be sent. The watch is locked: no
-- other notice of it is queued at the same time.
create function croft.queue_notice(p_id uuid, p_watch uuid, p_type text, p_data jsonb) returns void
language plpgsql as $$
begin
  -- They cannot be settled from here on: whoever was would never wake this one.
  perform from croft.delivery
    where watch_id = p_watch and number = 0 and state in ('pending', 'sending') and files is null order by id for key share;
  with open as materialized (
    select id from croft.delivery
    where watch_id = p_watch and number = 0 and state in ('pending', 'sending') and files is null
  ), made as (
    insert into croft.delivery (id, app_id, watch_id, type, data, waits)
      select p_id, w.app_id, w.id, p_type, p_data, (select count(*) from open) from croft.watch w where w.id = p_watch
      returning id
  )
  insert into croft.delivery_wait (delivery_id, waits_for) select made.id, open.id from made cross join open;
  perform pg_notify('croft_delivery', '');
end $$;

-- The host that had the content of a delivery is lost, and the remote has forgotten it: what that host was to send of the
-- watch is dropped, all but the deletions, which need no content, and every file is sent anew. Asked again it does nothing.
create function croft.drop_lost_deliveries(p_delivery uuid) returns void
language plpgsql as $$
declare
  v_lost croft.delivery;
  v_gone uuid[];
  v_syncs uuid[];
begin
  select * into v_lost from croft.delivery where id = p_delivery;
  -- As everybody does: repository, watch, deliveries.
  perform from croft.repository where id = (select repository_id from croft.watch where id = v_lost.watch_id) for no key update;
  perform from croft.watch where id = v_lost.watch_id for no key update;
  perform from croft.delivery
    where watch_id = v_lost.watch_id and state in ('pending', 'sending') and host = v_lost.host order by id for update;
  select * into v_lost from croft.delivery where id = p_delivery;
  if not found or v_lost.is_superseded then return; end if;
  with lost as (
    update croft.delivery set is_superseded = true,
      state = case state when 'pending' then 'cancelled' else state end,
      settled_at = case state when 'pending' then croft.now() end, seq = seq + (state = 'pending')::integer
    where watch_id = v_lost.watch_id and state in ('pending', 'sending') and host = v_lost.host
      and jsonb_path_exists(files, '$[*] ? (@.change != "deleted")')
    returning id, seq, app_id, sync_id, state
  ), told as (
    insert into croft.event (subject, seq, owner, type, data)
      select id, seq, 'app:' || app_id, 'delivery.cancelled', jsonb_build_object('watch', v_lost.watch_id)
      from lost where state = 'cancelled' order by id
  )
  select array_agg(id), array_agg(sync_id) filter (where sync_id is not null) into v_gone, v_syncs
    from lost where state = 'cancelled';
  if v_gone is not null then
    perform croft.release_waiting(v_gone, v_syncs);
    perform croft.announce(v_gone);
  end if;
  update croft.watch set wants_resync = true, retry_at = null where id = v_lost.watch_id;
  update croft.repository set next_poll_at = croft.now()
    where id = (select repository_id from croft.watch where id = v_lost.watch_id);
  perform pg_notify('croft_watch', ''), pg_notify('croft_delivery', '');
end $$;

-- What a process was writing when it died counts for nothing, and goes a part at a time: there may be very much of it.
-- False when nothing is left.
create function croft.forget_unmade_syncs(p_max integer) returns boolean
language plpgsql as $$
declare
  v_syncs uuid[];
  v_count integer;
begin
  v_syncs := array(
    select id from croft.sync s
    where state = 'making' and not exists (select from croft.dispatcher where id = s.dispatcher_id)
    order by id for update skip locked);
  if cardinality(v_syncs) = 0 then return false; end if;
  delete from croft.delivery where id = any (array(
    select id from croft.delivery where sync_id = any (v_syncs) limit p_max));
  get diagnostics v_count = row_count;
  if v_count = p_max then return true; end if;
  delete from croft.sync where id = any (v_syncs);
  return false;
end $$;

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
