-- Lines: work that begins only when all work before it in the same line has ended, retries and approvals included. Work in
-- one lane with one place does so by itself, in its order; what would not is held: it is queued, but not in its lane's line.

alter table croft.run add line text;

create table croft.line_member (
  owner text not null,
  line text not null,
  place bigint generated always as identity,
  -- Of a run: the job by which it gets its lane.
  job_id uuid not null unique,
  run_id uuid unique,
  is_held boolean not null default false,
  primary key (owner, line, place)
);

-- From then on nobody joins or leaves. After the lanes, as everywhere: those of all who are in them, and those of what is to
-- come or to be cancelled. All of them together: owners' rows are locked with them, and no lane may be after that.
create function croft.lock_lines(p_lanes uuid[], p_owners text[], p_lines text[]) returns void
language plpgsql as $$
begin
  perform croft.lock_lanes(p_lanes || array(
    select j.lane_id from unnest(p_owners, p_lines) as x(owner, line)
    join croft.line_member m on m.owner = x.owner and m.line = x.line join croft.job j on j.id = m.job_id));
  perform pg_advisory_xact_lock(727563819, x.name) from (
    select distinct hashtext(owner || chr(31) || line) as name from unnest(p_owners, p_lines) as x(owner, line) order by 1) x;
end $$;

-- Out of their lanes' lines, until their turn comes.
create function croft.hold_jobs(p_jobs uuid[]) returns void
language plpgsql as $$
declare
  v_jobs uuid[] := array(select id from croft.job where id = any (p_jobs) and status = 'queued');
  v_lanes uuid[] := array(select distinct lane_id from croft.job where id = any (v_jobs));
  v_before croft.lane[];
begin
  if v_jobs = '{}' then return; end if;
  perform croft.lock_lanes(v_lanes);
  v_before := croft.read_lanes(v_lanes);
  with held as (
    update croft.line_member m set is_held = true
    from croft.job j where m.job_id = any (v_jobs) and j.id = m.job_id and j.status = 'queued' returning m.job_id
  ), was as materialized (
    select id, lane_id, rank from croft.job where id in (select job_id from held)
  ), aside as (
    update croft.job j set rank = null, run_at = '9999-12-31 00:00:00+00' from was where j.id = was.id
  )
  update croft.lane l set queued = l.queued - x.jobs
  from (select lane_id, count(*)::integer as jobs from was where rank is not null group by lane_id) x where l.id = x.lane_id;
  perform croft.refresh_heads(v_lanes);
  perform croft.count_ready(v_before);
end $$;

-- Into their lanes' lines, where they would have been from the beginning.
create function croft.let_go(p_jobs uuid[]) returns void
language plpgsql as $$
declare
  v_lanes uuid[];
  v_before croft.lane[];
begin
  perform croft.hold_limits();
  insert into croft.lane (id, owner, key, max_running) -- it may have been idle for so long that it was cleared away
    select distinct j.lane_id, j.owner, j.key, case when j.key = '' then 2147483647 else q.lane_limit end
    from croft.job j, croft.queue q
    where j.id = any (p_jobs) and not exists (select from croft.lane l where l.id = j.lane_id)
    order by 1 on conflict do nothing;
  select array_agg(distinct lane_id) into v_lanes from croft.job where id = any (p_jobs);
  perform croft.lock_lanes(v_lanes);
  v_before := croft.read_lanes(v_lanes);
  with free as (
    update croft.line_member set is_held = false where job_id = any (p_jobs) and is_held returning job_id
  ), come as (
    update croft.job j set run_at = created_at, rank = extract(epoch from created_at) - 3600 * class
    from free where j.id = free.job_id and j.status = 'queued' returning j.lane_id
  )
  update croft.lane l set queued = l.queued + c.jobs, used_at = croft.now(),
    turn = case when croft.is_open(l) then l.turn else greatest(l.turn, o.clock) end
  from (select lane_id, count(*)::integer as jobs from come group by lane_id) c, croft.owner o
  where l.id = c.lane_id and o.id = l.owner;
  perform croft.refresh_heads(v_lanes);
  perform croft.count_ready(v_before);
  perform pg_notify('croft_wake', '');
end $$;

-- Those who wait for it should not wait longer than their own class says, so it has at least that.
create function croft.raise_class(p_jobs uuid[], p_class smallint) returns void
language plpgsql as $$
declare
  v_lanes uuid[];
  v_before croft.lane[];
begin
  select array_agg(distinct lane_id) into v_lanes from croft.job
    where id = any (p_jobs) and status = 'queued' and class < p_class;
  if v_lanes is null then return; end if;
  perform croft.lock_lanes(v_lanes);
  v_before := croft.read_lanes(v_lanes);
  update croft.run r set class = p_class from croft.job j
    where j.id = any (p_jobs) and j.status = 'queued' and j.class < p_class and r.id = j.run_id;
  update croft.job set class = p_class, rank = rank - 3600 * (p_class - class)
    where id = any (p_jobs) and status = 'queued' and class < p_class;
  perform croft.refresh_heads(v_lanes);
  perform croft.count_ready(v_before);
end $$;

-- A job that was just enqueued, in the transaction that has locked its line.
create function croft.join_line(p_job uuid, p_run uuid, p_line text) returns void
language plpgsql as $$
declare
  v_job croft.job;
  v_before uuid[];
begin
  select * into v_job from croft.job where id = p_job;
  select array_agg(job_id order by place) into v_before from croft.line_member where owner = v_job.owner and line = p_line;
  insert into croft.line_member (owner, line, job_id, run_id) values (v_job.owner, p_line, p_job, p_run);
  -- By these its end is heard of.
  if p_run is null then update croft.job set notify = true where id = p_job;
  else update croft.run set line = p_line where id = p_run; end if;
  if v_before is null then return; end if;
  perform croft.raise_class(v_before, v_job.class);
  -- Whoever began earlier may have waited for the line: behind all before it all the same.
  select greatest(v_job.rank, max(rank) + 0.000001) into v_job.rank from croft.job
    where id = any (v_before) and status = 'queued' and class = v_job.class having v_job.rank is not null;
  if v_job.rank is not null then
    update croft.job set rank = v_job.rank where id = p_job and rank is distinct from v_job.rank;
    perform croft.refresh_heads(array[v_job.lane_id]);
  end if;
  -- In one lane with one place they come one after the other by themselves, as long as all before are in it.
  if v_job.key <> '' and v_job.rank is not null
    and (select max_running from croft.lane where id = v_job.lane_id) = 1
    and not exists (
      select from croft.line_member m join croft.job j on j.id = m.job_id
      where j.id = any (v_before) and (m.is_held or j.lane_id <> v_job.lane_id
        or case j.status when 'queued' then j.rank is null when 'running' then false
          else not exists (select from croft.lane_hold h where h.run_id = m.run_id) end))
  then return; end if;
  perform croft.hold_jobs(array[p_job]);
end $$;

-- Who comes after these, which have left their lanes without having ended. None may begin before they have.
create function croft.followers(p_jobs uuid[]) returns uuid[]
language sql stable
as $$
  select array_agg(f.job_id) from croft.line_member m
    join croft.line_member f on f.owner = m.owner and f.line = m.line and f.place > m.place and not f.is_held
    where m.job_id = any (p_jobs)
$$;

-- In the transaction that ends them: whoever is first now may begin.
create function croft.leave_lines(p_jobs uuid[]) returns void
language plpgsql as $$
declare
  v_first uuid[];
begin
  if not exists (select from croft.line_member where job_id = any (p_jobs)) then return; end if;
  perform pg_advisory_xact_lock(727563819, x.name) from (
    select distinct hashtext(owner || chr(31) || line) as name from croft.line_member where job_id = any (p_jobs) order by 1) x;
  with gone as (
    delete from croft.line_member where job_id = any (p_jobs) returning owner, line, place
  ), first as (
    select distinct on (m.owner, m.line) m.job_id, m.is_held
    from gone g join croft.line_member m on m.owner = g.owner and m.line = g.line and m.job_id <> all (p_jobs)
    order by m.owner, m.line, m.place
  )
  select array_agg(job_id) into v_first from first where is_held;
  if v_first is not null then perform croft.let_go(v_first); end if;
end $$;

create function croft.leave_line_of_run() returns trigger
language plpgsql as $$
begin
  perform croft.leave_lines(array(select job_id from croft.line_member where run_id = new.id));
  return null;
end $$;
create trigger run_left_line after update of status on croft.run for each row
  when (new.line is not null and old.finished_at is null and new.finished_at is not null)
  execute function croft.leave_line_of_run();

-- The places in these lanes are more than one now: what came one after the other by itself has to be held.
create function croft.hold_followers_in(p_lanes uuid[]) returns void
language plpgsql as $$
begin
  perform croft.hold_jobs(array(
    select m.job_id from croft.line_member m join croft.job j on j.id = m.job_id
    join croft.lane l on l.id = j.lane_id
    where j.lane_id = any (p_lanes) and l.max_running > 1 and not m.is_held and exists (
      select from croft.line_member b where b.owner = m.owner and b.line = m.line and b.place < m.place)));
end $$;
