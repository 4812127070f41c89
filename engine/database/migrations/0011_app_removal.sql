-- The end of an app: nothing of it starts or comes in any more, and what is left of it goes a part at a time.

-- A request that was let in before the end may still be at work. What it writes comes either before the end, which then
-- waits for it and sees it, or not at all.
create function croft.require_app(p_app uuid) returns void
language plpgsql as $$
begin
  perform from croft.app where id = p_app and deleted_at is null for share;
  if not found then raise exception 'the app % was deleted', p_app using errcode = 'CR001'; end if;
end $$;

create function croft.require_owner() returns trigger
language plpgsql as $$
begin
  perform croft.require_app(substr(new.owner, 5)::uuid);
  return new;
end $$;

create function croft.require_watcher() returns trigger
language plpgsql as $$
begin
  perform croft.require_app(new.app_id);
  return new;
end $$;

-- Jobs and runs need a lane, so they need no trigger of their own: in a lane that is left none of them starts.
do $$
declare
  v_table text;
begin
  foreach v_table in array array['lane', 'schedule', 'bulk', 'secret', 'credential', 'pipeline'] loop
    execute format(
      'create trigger %1$s_of_app before insert on croft.%1$s for each row
         when (new.owner ~ ''^app:[0-9a-f-]{36}$'') execute function croft.require_owner()', v_table);
  end loop;
end $$;
create trigger watch_of_app before insert on croft.watch for each row execute function croft.require_watcher();

create index app_deleted on croft.app (id) where deleted_at is not null;
create index removed_workspace_job on croft.removed_workspace (job_id);

-- What it was to be told of, what is on its way first; false when nothing is left. Repositories that nobody else watches
-- are asked no more.
create function croft.remove_app_watches(p_app uuid, p_max integer) returns boolean
language plpgsql as $$
declare
  v_left integer := p_max;
  v_count integer;
  v_repositories uuid[];
begin
  delete from croft.delivery where id = any (array(
    select d.id from croft.watch w join croft.delivery d on d.watch_id = w.id
      where w.app_id = p_app and d.state in ('staged', 'pending', 'sending')
    union
    select id from croft.delivery where app_id = p_app and state = 'pending' and waits = 0
    union
    select id from croft.delivery where app_id = p_app and state = 'sending'
    limit v_left));
  get diagnostics v_count = row_count;
  v_left := v_left - v_count;
  delete from croft.delivery where id = any (array(
    select id from croft.delivery where app_id = p_app order by id limit v_left));
  get diagnostics v_count = row_count;
  v_left := v_left - v_count;
  delete from croft.sync where id = any (array(
    select s.id from croft.watch w join croft.sync s on s.watch_id = w.id where w.app_id = p_app limit v_left));
  get diagnostics v_count = row_count;
  if v_left - v_count <= 0 then return true; end if;

  v_repositories := array(select distinct repository_id from croft.watch where app_id = p_app);
  -- Whoever begins to watch one of them holds it; another statement than the one that waits sees whether they do.
  perform from croft.repository where id = any (v_repositories) order by id for update;
  delete from croft.watch where app_id = p_app;
  delete from croft.repository r
    where id = any (v_repositories) and not exists (select from croft.watch where repository_id = r.id);
  return false;
end $$;

-- What waits is cancelled, up to so many; what runs is asked to end. False when there was nothing to do.
create function croft.cancel_owner_jobs(p_owner text, p_max integer) returns boolean
language plpgsql as $$
declare
  v_jobs uuid[];
begin
  v_jobs := array(select id from croft.job where status = 'running' and cancel_requested_at is null and owner = p_owner)
    || array(
      (select j.id from croft.lane l join croft.job j on j.lane_id = l.id
        where l.owner = p_owner and j.status = 'queued' and j.rank is not null limit p_max)
      union all
      (select id from croft.job where status = 'queued' and rank is null and owner = p_owner limit p_max));
  perform croft.cancel(v_jobs);
  return cardinality(v_jobs) > 0;
end $$;

-- False when there is no such app. Runs are locked before lanes, and lanes before their owner, as everybody does.
create function croft.delete_app(p_app uuid, p_max integer) returns boolean
language plpgsql as $$
declare
  v_owner constant text := 'app:' || p_app;
  v_app croft.app;
  v_runs uuid[];
begin
  update croft.app set deleted_at = croft.now(), updated_at = croft.now(), seq = seq + 1
    where id = p_app and deleted_at is null returning * into v_app;
  if not found then return false; end if;
  insert into croft.event (subject, seq, owner, type, data)
    values (p_app, v_app.seq, 'local', 'app.deleted', jsonb_build_object('name', v_app.name));
  delete from croft.app_token where app_id = p_app;
  delete from croft.signing_secret where app_id = p_app; -- so nothing can be signed in its name
  perform croft.remove_app_watches(p_app, p_max);
  delete from croft.schedule where owner = v_owner;
  delete from croft.pipeline where owner = v_owner;
  delete from croft.secret where owner = v_owner;
  delete from croft.credential where owner = v_owner;
  delete from croft.bulk where owner = v_owner;

  v_runs := array(
    select id from croft.run
    where status in ('queued', 'running', 'waiting') and owner = v_owner order by id for update);
  update croft.run set cancel_requested_at = coalesce(cancel_requested_at, croft.now()) where id = any (v_runs);
  perform croft.mark_due(v_runs);
  perform croft.cancel_owner_jobs(v_owner, p_max);
  -- However many are left, none of them starts.
  insert into croft.owner (id, max_running, has_own_limit) values (v_owner, 0, true)
    on conflict (id) do update set max_running = 0, has_own_limit = true;

  perform croft.announce(array[p_app]), pg_notify('croft_app', ''), pg_notify('croft_delivery', '');
  return true;
end $$;

-- A part of what is left. `more`: there is more; `waits`: an attempt has not settled, or its workspace has not gone;
-- `bare`: only events, lanes and the app itself are left; null: somebody else is at it.
create function croft.forget_app(p_app uuid, p_max integer) returns text
language plpgsql as $$
declare
  v_owner constant text := 'app:' || p_app;
  v_ids uuid[];
  v_count integer;
begin
  perform from croft.app where id = p_app and deleted_at is not null for no key update skip locked;
  if not found then return null; end if;
  if croft.remove_app_watches(p_app, p_max) then return 'more'; end if;
  if croft.cancel_owner_jobs(v_owner, p_max) then return 'more'; end if;
  if exists (select from croft.job where status = 'running' and owner = v_owner)
    or exists (select from croft.workspace where entry ->> 'owner' = v_owner)
  then return 'waits'; end if;

  if croft.remove_assets(array(select id from croft.asset where owner = v_owner limit p_max)) = p_max then
    return 'more';
  end if;
  v_ids := array(
    select id from croft.job where owner = v_owner and status in ('done', 'failed', 'cancelled') limit p_max);
  delete from croft.event where subject = any (v_ids);
  delete from croft.removed_workspace where job_id = any (v_ids);
  delete from croft.job where id = any (v_ids); -- and their logs
  if cardinality(v_ids) = p_max then return 'more'; end if;

  -- Whether they have ended or not: nothing is left that could end them.
  v_ids := array(select id from croft.run where owner = v_owner order by id limit p_max for update);
  delete from croft.run_step where ctid = any (array(
    select ctid from croft.run_step where run_id = any (v_ids) limit 10 * p_max));
  get diagnostics v_count = row_count;
  if v_count = 10 * p_max then return 'more'; end if;
  delete from croft.run_due where run_id = any (v_ids);
  delete from croft.lane_hold where run_id = any (v_ids);
  delete from croft.removed_workspace where run_id = any (v_ids);
  delete from croft.event where subject = any (v_ids);
  delete from croft.run where id = any (v_ids);
  if cardinality(v_ids) = p_max then return 'more'; end if;

  delete from croft.bulk where owner = v_owner;
  delete from croft.idempotency where owner = v_owner;
  delete from croft.run_request where owner = v_owner;
  delete from croft.run_counter where owner = v_owner;
  return 'bare';
end $$;

-- Events have no index by owner, because every one of them would pay for it: they are looked at in their order, a part
-- at a time. Says how far that was; null at the end.
create function croft.forget_owner_events(p_owners text[], p_xid xid8, p_place bigint, p_max integer,
  out xid xid8, out place bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  with seen as materialized (
    select e.ctid as at, e.owner, e.xid, e.place from croft.event e
    where (e.xid, e.place) > (p_xid, p_place) order by e.xid, e.place limit p_max
  ), gone as (
    delete from croft.event where ctid = any (array(select at from seen where owner = any (p_owners)))
  )
  select s.xid, s.place into forget_owner_events.xid, forget_owner_events.place
    from seen s order by s.xid desc, s.place desc limit 1;
end $$;

-- The last of it. Lanes first: whoever is about to put a job into one of them is waited for, and then it stays.
create function croft.forget_bare_app(p_app uuid) returns boolean
language plpgsql as $$
declare
  v_owner constant text := 'app:' || p_app;
begin
  perform croft.lock_lanes(array(select id from croft.lane where owner = v_owner));
  perform from croft.app where id = p_app and deleted_at is not null for update;
  if not found or exists (select from croft.job where owner = v_owner)
    or exists (select from croft.run where owner = v_owner) or exists (select from croft.asset where owner = v_owner)
    or exists (select from croft.watch where app_id = p_app)
  then return false; end if;
  delete from croft.lane where owner = v_owner;
  delete from croft.owner where id = v_owner;
  delete from croft.app where id = p_app;
  return true;
end $$;
