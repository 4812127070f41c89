-- What has had its time goes, a part at a time: a long transaction would hold back readers of events and slow down claims.

-- A part of what is older than this; false when nothing is left of it.
create function croft.forget_events(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
  v_xid xid8;
  v_place bigint;
begin
  with gone as (
    delete from croft.event where ctid = any (array(select ctid from croft.event where at < p_before limit p_max))
    returning xid, place
  ), last as (
    select xid, place from gone order by xid desc, place desc limit 1
  )
  select (select count(*) from gone), last.xid, last.place into v_count, v_xid, v_place from last;
  update croft.event_floor set xid = v_xid, place = v_place where (xid, place) < (v_xid, v_place);
  return coalesce(v_count, 0) = p_max;
end $$;

-- Jobs that ended before, oldest first: ids begin with the time they were made at.
create function croft.forget_jobs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.job where id = any (array(
    select id from croft.job
    where id < (lpad(to_hex((extract(epoch from p_before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      and finished_at < p_before
    order by id limit p_max));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- Whole logs, of jobs that ended before: those that run keep theirs from its beginning. One with very many pieces goes in
-- several parts, oldest first.
create function croft.forget_logs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_left integer := p_max;
  v_count integer;
  v_job uuid;
begin
  for v_job in
    select distinct job_id from (
      select l.job_id from croft.job_log l join croft.job j on j.id = l.job_id
      where l.at < p_before and j.finished_at < p_before limit p_max) as old
  loop
    delete from croft.job_log where job_id = v_job and seq in (
      select seq from croft.job_log where job_id = v_job order by seq limit v_left);
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    exit when v_left <= 0;
  end loop;
  return v_left <= 0;
end $$;

-- A lane that nobody used for an hour says nothing that its next job would not say again.
create function croft.forget_idle() returns void
language plpgsql as $$
begin
  delete from croft.idempotency where expires_at < croft.now(); -- first, as whoever submits has it first
  delete from croft.lane where id = any (array(
    select id from croft.lane
    where running = 0 and queued = 0 and not has_own_limit and not is_paused
      and used_at < croft.now() - interval '1 hour'
      and id not in (select lane_id from croft.job where status = 'queued' and rank is null)
    order by id for update skip locked));
  delete from croft.worker where ended_at < croft.now() - interval '7 days';
end $$;
