-- What events of GitHub have started for pull requests, so that a newer event can take an older one's place.

create table croft.github_work (
  trigger text not null,
  installation bigint not null,
  repository_id bigint not null,
  pull_request bigint not null,
  -- Of the inbox; it may be gone before its work is. Which of two is the newer is told by when GitHub first sent them: what
  -- had to be asked for again arrives late.
  event_id uuid not null,
  sent_at timestamptz not null,
  place bigint not null,
  -- Its trigger says so: nothing older may be done any more.
  supersedes boolean not null,
  job_id uuid unique references croft.job on delete cascade,
  run_id uuid unique references croft.run on delete cascade,
  -- By which event. From then on it may publish nothing.
  superseded_by uuid,
  superseded_at timestamptz,
  check ((job_id is null) <> (run_id is null))
);
create index github_work_pull on croft.github_work (repository_id, pull_request, trigger);

-- Started for code of a fork which nobody trusts: neither its steps nor those of what it uses get secrets.
alter table croft.run add withholds_secrets boolean not null default false;
-- The commit that its event is about: whoever may push could exchange what somebody else has looked at.
alter table croft.run add expected text;

-- Refs of pull requests as a run saw them first: all its steps, and all that it uses, get the same.
create table croft.run_ref (
  run_id uuid not null references croft.run on delete cascade,
  ref text not null,
  commit text not null,
  primary key (run_id, ref)
);

-- Whoever comes next finds what this transaction leaves.
create function croft.lock_work(p_trigger text, p_repository bigint, p_pull bigint) returns void
language sql as $$
  select pg_advisory_xact_lock(727563820, hashtext(p_repository || '#' || p_pull || ' ' || p_trigger))
$$;

-- What the trigger has started for the pull request and has not ended may publish no more. Its runs are asked to end; jobs
-- are returned for that, because their lanes have to be locked first, together with those of what is to come.
create function croft.supersede_work(p_trigger text, p_repository bigint, p_pull bigint, p_event uuid) returns uuid[]
language plpgsql as $$
declare
  v_jobs uuid[];
  v_runs uuid[];
begin
  with gone as (
    update croft.github_work w set superseded_by = p_event, superseded_at = croft.now()
    where trigger = p_trigger and repository_id = p_repository and pull_request = p_pull and superseded_by is null and (
      exists (select from croft.job where id = w.job_id and status in ('queued', 'running'))
      or exists (select from croft.run where id = w.run_id and finished_at is null))
    returning job_id, run_id
  )
  select coalesce(array_agg(job_id) filter (where job_id is not null), '{}'),
      coalesce(array_agg(run_id) filter (where run_id is not null), '{}')
    into v_jobs, v_runs from gone;
  if v_runs <> '{}' then perform croft.cancel_runs(v_runs, false); end if;
  return v_jobs;
end $$;

-- All work of an installation that is gone: its runs are asked to end, and its jobs returned, as above. Steps end with their
-- runs. What is more than so many goes on as it can: it gets no token any more.
create function croft.end_installation(p_installation bigint, p_max integer) returns uuid[]
language plpgsql as $$
declare
  v_owner constant text := 'installation:' || p_installation;
begin
  perform croft.cancel_runs(array(
    select id from croft.run
    where owner = v_owner and parent_id is null and status in ('queued', 'running', 'waiting') order by id limit p_max), false);
  return array(select id from croft.job where status = 'running' and owner = v_owner and run_id is null)
    || array(
      (select j.id from croft.lane l join croft.job j on j.lane_id = l.id
        where l.owner = v_owner and j.status = 'queued' and j.rank is not null and j.run_id is null limit p_max)
      union all
      (select id from croft.job where status = 'queued' and rank is null and owner = v_owner and run_id is null limit p_max));
end $$;

-- Jobs and runs that somebody wants done once more, as far as they are work for pull requests: their lines, and whether a
-- newer event has taken their places. None comes before the transaction has ended.
create function croft.work_again(p_ids uuid[]) returns table (id uuid, line text, is_overtaken boolean)
language plpgsql as $$
begin
  perform croft.lock_work(w.trigger, w.repository_id, w.pull_request) from (
    select distinct trigger, repository_id, pull_request from croft.github_work
    where job_id = any (p_ids) or run_id = any (p_ids) order by 2, 3, 1) w;
  return query
    select coalesce(w.job_id, w.run_id), 'github:' || w.repository_id || '#' || w.pull_request,
      w.superseded_by is not null or exists (
        select from croft.github_work n
        where n.repository_id = w.repository_id and n.pull_request = w.pull_request and n.trigger = w.trigger and n.supersedes
          and (n.sent_at, n.place) > (w.sent_at, w.place))
    from croft.github_work w where w.job_id = any (p_ids) or w.run_id = any (p_ids);
end $$;

-- A job that comes of another is work for the same pull request: whatever takes the place of the one takes that of the other.
create function croft.copy_work(p_from uuid, p_to uuid) returns void
language sql as $$
  insert into croft.github_work (trigger, installation, repository_id, pull_request, event_id, sent_at, place, supersedes, job_id,
      superseded_by, superseded_at)
    select trigger, installation, repository_id, pull_request, event_id, sent_at, place, supersedes, p_to, superseded_by, superseded_at
    from croft.github_work where job_id = p_from
$$;

-- All of it is in the line of its pull request, and leaves that when it ends: then it says why it was cancelled.
create function croft.tell_superseded() returns trigger
language plpgsql as $$
declare
  v_by uuid;
  v_error jsonb;
begin
  select superseded_by into v_by from croft.github_work
    where superseded_by is not null and (job_id = old.job_id or run_id = old.run_id);
  if v_by is null then return null; end if;
  v_error := jsonb_build_object('code', 'superseded', 'class', 'cancelled',
    'message', 'a newer event of the pull request took its place', 'details', jsonb_build_object('event', v_by));
  if old.run_id is null then update croft.job set error = v_error where id = old.job_id and status = 'cancelled';
  else update croft.run set error = v_error where id = old.run_id and status = 'cancelled'; end if;
  return null;
end $$;
create trigger line_left_superseded after delete on croft.line_member for each row
  execute function croft.tell_superseded();

-- Whether an attempt may still show the world what it made. What it does so with is asked at the last moment.
create function croft.may_publish(p_job uuid, p_attempt integer) returns boolean
language sql stable as $$
  select exists (
    select from croft.job j left join croft.run r on r.id = j.run_id
    where j.id = p_job and j.status = 'running' and j.attempt = p_attempt and j.cancel_requested_at is null
      and not exists (
        select from croft.github_work w
        where w.superseded_by is not null and (w.job_id = j.id or w.run_id = coalesce(r.root_id, r.id))))
$$;

-- The same of a run.
create function croft.may_publish_run(p_run uuid) returns boolean
language sql stable as $$
  select exists (
    select from croft.run r
    where r.id = p_run and r.cancel_requested_at is null
      and not exists (
        select from croft.github_work w
        where w.superseded_by is not null and w.run_id = coalesce(r.root_id, r.id)))
$$;
