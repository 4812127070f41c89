-- What has had its time goes, a part at a time: a long transaction would hold back readers of events and slow down claims.

-- A part of what is older than this; false when nothing is left of it.
create function croft.forget_events(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
  v_xid xid8;
begin
  with gone as (
    delete from croft.event where ctid = any (array(select ctid from croft.event where at < p_before limit p_max))
    returning xid
  )
  select count(*), max(xid) into v_count, v_xid from gone;
  update croft.event_floor set xid = greatest(xid, v_xid) where v_count > 0;
  return v_count = p_max;
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

create function croft.forget_logs(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.job_log where ctid = any (array(select ctid from croft.job_log where at < p_before limit p_max));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- A lane that nobody used for an hour says nothing that its next job would not say again.
create function croft.forget_idle() returns void
language plpgsql as $$
begin
  delete from croft.lane where id = any (array(
    select id from croft.lane
    where running = 0 and queued = 0 and not has_own_limit and not is_paused
      and used_at < croft.now() - interval '1 hour'
    order by id for update skip locked));
  delete from croft.worker where ended_at < croft.now() - interval '7 days';
  delete from croft.idempotency where expires_at < croft.now();
end $$;
