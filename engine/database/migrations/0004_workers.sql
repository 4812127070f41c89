-- Workers and their attempts: lease, end, and what an attempt may still say.

-- Still there, and for how long: the worker's lease is that of its attempts. No row: it was taken for dead, and so are
-- its attempts. With it come the attempts that somebody wants to end, in case the word itself was lost.
create function croft.renew(p_worker uuid, p_lease_ms integer) returns table (cancelled uuid[])
language plpgsql as $$
begin
  update croft.worker set lease_until = croft.now() + make_interval(secs => p_lease_ms / 1000.0)
    where id = p_worker and ended_at is null and lease_until > croft.now();
  if not found then return; end if;
  return query select coalesce(array_agg(id), '{}') from croft.job
    where worker_id = p_worker and status = 'running' and cancel_requested_at is not null;
end $$;

-- Ends a worker and gives its attempts back to the queue.
create function croft.end_worker(p_worker uuid, p_outcome text, p_reason text, p_max_lost integer,
  p_only_if_over boolean default false) returns integer
language plpgsql as $$
declare
  v_results jsonb;
  v_released uuid[];
begin
  perform croft.lock_queue();
  update croft.worker set ended_at = croft.now(), end_reason = p_reason, seq = seq + 1
    where id = p_worker and ended_at is null and (not p_only_if_over or lease_until <= croft.now());
  if not found then return 0; end if;
  insert into croft.event (subject, seq, owner, type, data)
    select id, seq, 'local', 'worker.ended', jsonb_build_object('reason', p_reason) from croft.worker where id = p_worker;
  select jsonb_agg(jsonb_build_object('id', id, 'owner', owner, 'lane_id', lane_id, 'attempt', attempt, 'outcome', p_outcome, 'class', p_outcome,
      'max_lost', p_max_lost,
      'error', jsonb_build_object('code', p_outcome, 'class', p_outcome, 'message', p_reason)))
    into v_results from croft.job where worker_id = p_worker and status = 'running';
  if v_results is not null then v_released := (croft.settle_and_claim(p_worker, v_results, 0, '{}', false)).released; end if;
  perform croft.announce(v_released || p_worker);
  perform pg_notify('croft_wake', '');
  return coalesce(cardinality(v_released), 0);
end $$;

-- Of a worker whose lease is over: by whichever process sees it first. One a transaction, because it locks many lanes.
create function croft.end_lost_worker(p_max_lost integer) returns table (worker_id uuid, jobs integer)
language plpgsql as $$
declare
  v_worker uuid;
begin
  select id into v_worker from croft.worker
    where ended_at is null and lease_until <= croft.now() order by lease_until limit 1;
  if v_worker is null then return; end if;
  return query select v_worker, croft.end_worker(v_worker, 'lost', 'its worker was not heard of any more', p_max_lost, true);
end $$;

create function croft.drain_worker(p_worker uuid) returns void
language plpgsql as $$
begin
  with told as (
    update croft.worker set is_draining = true, seq = seq + 1 where id = p_worker and ended_at is null returning id, seq
  )
  insert into croft.event (subject, seq, owner, type, data) select id, seq, 'local', 'worker.draining', '{}' from told;
  perform croft.announce(array[p_worker]);
end $$;

-- Only as long as the attempt is this worker's: null when it is not, else the number of its last piece. `p_after` is the
-- last one that the writer knows of (none: null); with more there already, its answer was lost, and nothing is added twice.
-- The lock keeps the job from ending and starting anew meanwhile, and two of the same writer from coming in between each other.
create function croft.append_log(p_job uuid, p_attempt integer, p_worker uuid, p_after integer, p_pieces jsonb)
returns integer
language plpgsql as $$
declare
  v_seq integer;
  v_attempt integer;
  v_bytes bigint;
begin
  perform from croft.job
    where id = p_job and status = 'running' and attempt = p_attempt and worker_id = p_worker for no key update;
  if not found then return null; end if;
  select seq, attempt, starts_at + octet_length(text) into v_seq, v_attempt, v_bytes
    from croft.job_log where job_id = p_job order by seq desc limit 1;
  if v_seq > p_after or (p_after is null and v_attempt = p_attempt) then return v_seq; end if;
  insert into croft.job_log (job_id, seq, attempt, stream, starts_at, text)
    select p_job, coalesce(v_seq, 0) + nth, p_attempt, piece ->> 'stream',
      coalesce(v_bytes, 0) + coalesce(sum(octet_length(piece ->> 'text')) over (
        order by nth rows between unbounded preceding and 1 preceding), 0),
      piece ->> 'text'
    from jsonb_array_elements(p_pieces) with ordinality as x(piece, nth);
  perform pg_notify('croft_log', p_job::text);
  return coalesce(v_seq, 0) + jsonb_array_length(p_pieces);
end $$;

-- Only as long as the attempt is this worker's: false when it is not.
create function croft.report_progress(p_job uuid, p_attempt integer, p_worker uuid, p_progress jsonb) returns boolean
language plpgsql as $$
begin
  with changed as (
    update croft.job set progress = p_progress, seq = seq + 1, event_xid = greatest(event_xid, pg_current_xact_id())
    where id = p_job and status = 'running' and attempt = p_attempt and worker_id = p_worker
    returning id, owner, seq, event_xid
  )
  insert into croft.event (subject, seq, xid, owner, type, data)
    select id, seq, event_xid, owner, 'job.progress', p_progress from changed;
  if not found then return false; end if;
  perform croft.announce(array[p_job]);
  return true;
end $$;
