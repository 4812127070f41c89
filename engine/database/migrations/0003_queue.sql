-- The scheduler: enqueue, claim, release, cancel. Rules that hold in all of them:
-- locks are taken lanes first, then owners, each in the order of ids; then a new statement does the work, because only its
-- snapshot shows what the last holder of those locks has left. Claims and releases are serialised by one advisory lock.

create function croft.lock_queue() returns void
language sql volatile
as $$ select pg_advisory_xact_lock(727563818, 1) $$;

create function croft.lock_lanes(p_lanes uuid[]) returns void
language plpgsql as $$
begin
  perform from croft.lane where id = any (p_lanes) order by id for update;
  perform from croft.owner
    where id in (select owner from croft.lane where id = any (p_lanes)) order by id for update;
end $$;

-- Whoever makes lanes or owners does so with the limits of that moment: they do not change before it is seen.
create function croft.hold_limits() returns void
language sql volatile
as $$ select pg_advisory_xact_lock_shared(727563818, 5) $$;

-- The time a job counts as waiting since: an hour ago for each class.
create function croft.rank_of(p_class smallint) returns float8
language sql stable
as $$ select extract(epoch from croft.now())::float8 - 3600 * p_class $$;

-- Tells readers of these subjects to look; beyond a hundred it is cheaper that all of them do.
create function croft.announce(p_subjects uuid[]) returns void
language plpgsql as $$
begin
  perform pg_notify('croft_event',
    case when cardinality(p_subjects) > 100 then '*' else array_to_string(p_subjects, ',') end);
end $$;

create function croft.is_open(p_lane croft.lane) returns boolean
language sql immutable
as $$ select not p_lane.is_paused and p_lane.queued > 0 and p_lane.running < p_lane.max_running $$;

-- The class of its next job, if that may start.
create function croft.open_class(p_lane croft.lane) returns smallint
language sql immutable
as $$ select case when croft.is_open(p_lane) then p_lane.head_class end $$;

create function croft.is_open(p_owner croft.owner) returns boolean
language sql immutable
as $$
  select p_owner.running < p_owner.max_running
    and p_owner.ready_background + p_owner.ready_normal + p_owner.ready_interactive > 0
$$;

-- After lanes were changed that were like this before: their owners' counts follow.
create function croft.count_ready(p_before croft.lane[]) returns void
language plpgsql as $$
begin
  with change as materialized (
    select after.owner,
      count(*) filter (where croft.open_class(after) = 0) - count(*) filter (where croft.open_class(before) = 0) as background,
      count(*) filter (where croft.open_class(after) = 1) - count(*) filter (where croft.open_class(before) = 1) as normal,
      count(*) filter (where croft.open_class(after) = 2) - count(*) filter (where croft.open_class(before) = 2) as interactive
    from unnest(p_before) before join croft.lane after on after.id = before.id
    group by after.owner
  )
  update croft.owner o set
    ready_background = o.ready_background + c.background,
    ready_normal = o.ready_normal + c.normal,
    ready_interactive = o.ready_interactive + c.interactive,
    turn = case when croft.is_open(o) then o.turn else greatest(o.turn, (select clock from croft.queue)) end
  from change c where o.id = c.owner and (c.background, c.normal, c.interactive) <> (0, 0, 0);
end $$;

create function croft.read_lanes(p_lanes uuid[]) returns croft.lane[]
language sql stable
as $$ select array_agg(l) from croft.lane l where l.id = any (p_lanes) $$;

-- Puts due jobs of these lanes' lines in order again after some have left or come.
create function croft.refresh_heads(p_lanes uuid[]) returns void
language sql volatile
as $$
  update croft.lane l set head_rank = h.rank, head_class = h.class
  from unnest(p_lanes) as x(id)
  left join lateral (
    select rank, class from croft.job
    where lane_id = x.id and status = 'queued' and rank is not null order by rank, job.id limit 1
  ) h on true
  where l.id = x.id and (l.head_rank, l.head_class) is distinct from (h.rank, h.class)
$$;

-- One job that needs nothing looked up or made: the usual case while nothing else goes on, when it is waited for. Plain
-- statements on single rows begin sooner than the one for many. False: nothing was done, it has to go the long way.
create function croft.enqueue_plainly(p_job jsonb) returns boolean
language plpgsql as $$
declare
  v_job record;
  v_lane croft.lane;
  v_clock float8;
  v_before smallint;
  v_after smallint;
  v_rank float8;
  v_now timestamptz := croft.now();
begin
  select * into v_job from jsonb_to_record(p_job) as a(id uuid, owner text, key text, type text, class smallint,
    run_at timestamptz, attempts integer, timeout_ms bigint, input jsonb, dedupe text, source_task_id text, retry_of uuid,
    run_id uuid, step text, idempotency_key text);
  if v_job.idempotency_key is not null or v_job.dedupe is not null or v_job.run_at > v_now
    or not exists (select from croft.job_type where type = v_job.type) then return false; end if;
  select * into v_lane from croft.lane where id = croft.lane_id(v_job.owner, v_job.key) for update;
  if not found then return false; end if;
  v_before := croft.open_class(v_lane);
  if v_before is null then -- as below: the owner's clock must not go on meanwhile
    select clock into v_clock from croft.owner where id = v_job.owner for update;
  end if;
  v_rank := extract(epoch from v_now) - 3600 * v_job.class;
  insert into croft.job (id, owner, key, lane_id, type, class, rank, run_at, attempts, timeout_ms, input, source_task_id,
      retry_of, run_id, step, created_at)
    values (v_job.id, v_job.owner, v_job.key, v_lane.id, v_job.type, v_job.class, v_rank, coalesce(v_job.run_at, v_now),
      v_job.attempts, v_job.timeout_ms, v_job.input, v_job.source_task_id, v_job.retry_of, v_job.run_id, v_job.step, v_now);
  insert into croft.event (subject, seq, owner, type, data, at)
    values (v_job.id, 1, v_job.owner, 'job.queued', '{}', v_now);
  v_lane.queued := v_lane.queued + 1;
  if v_lane.head_rank is null or v_lane.head_rank > v_rank then
    v_lane.head_rank := v_rank;
    v_lane.head_class := v_job.class;
  end if;
  update croft.lane set queued = v_lane.queued, head_rank = v_lane.head_rank, head_class = v_lane.head_class,
    turn = case when v_before is null then greatest(v_lane.turn, v_clock) else v_lane.turn end, used_at = v_now
    where id = v_lane.id;
  v_after := croft.open_class(v_lane);
  if v_after is distinct from v_before then
    update croft.owner o set
      ready_background = o.ready_background + coalesce(v_after = 0, false)::int - coalesce(v_before = 0, false)::int,
      ready_normal = o.ready_normal + coalesce(v_after = 1, false)::int - coalesce(v_before = 1, false)::int,
      ready_interactive = o.ready_interactive + coalesce(v_after = 2, false)::int - coalesce(v_before = 2, false)::int,
      turn = case when croft.is_open(o) then o.turn else greatest(o.turn, (select clock from croft.queue)) end
      where id = v_job.owner;
  end if;
  perform pg_notify('croft_wake', ''), pg_notify('croft_event', v_job.id::text);
  return true;
end $$;

-- Many at once, because one transaction for ten is nearly as quick as for one. For each id asked for: the job there is
-- now. `new`; `repeated`: the same request was made before; `reused`: another request under that idempotency key;
-- `deduplicated`: a job under that dedupe key is queued or running; `again`: it has just ended, ask again.
create function croft.enqueue(p_jobs jsonb) returns table (asked uuid, job_id uuid, outcome text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_lanes uuid[];
  v_owners integer;
  v_has_keys boolean;
  v_has_types boolean;
  v_has_lanes boolean;
  v_known integer;
  v_new uuid[];
  v_repeated uuid[] := '{}';
  v_now timestamptz := croft.now();
begin
  if jsonb_array_length(p_jobs) = 1 and croft.enqueue_plainly(p_jobs -> 0) then
    return query select (p_jobs -> 0 ->> 'id')::uuid, (p_jobs -> 0 ->> 'id')::uuid, 'new';
    return;
  end if;
  select array_agg(distinct croft.lane_id(a.owner, a.key)), count(distinct a.owner), bool_or(a.idempotency_key is not null),
      bool_and(exists (select from croft.job_type t where t.type = a.type)),
      bool_and(exists (select from croft.lane l where l.id = croft.lane_id(a.owner, a.key)))
    into v_lanes, v_owners, v_has_keys, v_has_types, v_has_lanes
    from jsonb_to_recordset(p_jobs) as a(owner text, key text, type text, idempotency_key text);
  if v_has_keys then
    insert into croft.idempotency (owner, key, digest, job_id, expires_at)
      select a.owner, a.idempotency_key, decode(a.digest, 'hex'), a.id, croft.now() + interval '24 hours'
      from jsonb_to_recordset(p_jobs) as a(id uuid, owner text, idempotency_key text, digest text)
      where a.idempotency_key is not null
      order by a.owner, a.idempotency_key
      on conflict (owner, key) do update
        set digest = excluded.digest, job_id = excluded.job_id, expires_at = excluded.expires_at
        where idempotency.expires_at <= croft.now()
          or not exists (select from croft.job where id = idempotency.job_id);
    select coalesce(array_agg(a.id), '{}') into v_repeated
      from jsonb_to_recordset(p_jobs) as a(id uuid, owner text, idempotency_key text)
      join croft.idempotency i on i.owner = a.owner and i.key = a.idempotency_key
      where i.job_id <> a.id;
  end if;
  if not v_has_types then
    insert into croft.job_type (type)
      select distinct a.type from jsonb_to_recordset(p_jobs) as a(type text)
      where not exists (select from croft.job_type t where t.type = a.type)
      order by 1 on conflict do nothing;
  end if;
  loop
    if not v_has_lanes then -- made before any is locked: else two that make each other's would wait for ever
      perform croft.hold_limits();
      insert into croft.owner (id, max_running)
        select distinct a.owner, q.owner_limit from jsonb_to_recordset(p_jobs) as a(owner text), croft.queue q
        where not exists (select from croft.owner o where o.id = a.owner)
        order by 1 on conflict do nothing;
      insert into croft.lane (id, owner, key, max_running)
        select distinct croft.lane_id(a.owner, a.key), a.owner, a.key,
          case when a.key = '' then 2147483647 else q.lane_limit end
        from jsonb_to_recordset(p_jobs) as a(owner text, key text), croft.queue q
        where not exists (select from croft.lane l where l.id = croft.lane_id(a.owner, a.key))
        order by 1 on conflict do nothing;
    end if;
    -- The owner's row is touched only when a lane opens: many may enqueue for one owner at once.
    perform from croft.lane where id = any (v_lanes) order by id for update;
    get diagnostics v_known = row_count;
    exit when v_known = cardinality(v_lanes); -- else one has just been cleared away
    v_has_lanes := false;
  end loop;
  -- A lane that opens begins at its owner's clock, and that must not go on meanwhile.
  perform from croft.owner where id in (
    select l.owner from croft.lane l where l.id = any (v_lanes) and (v_owners > 1 or not croft.is_open(l))) order by id for update;

  with new as (
    insert into croft.job (id, owner, key, lane_id, type, class, rank, run_at, attempts, timeout_ms, input, dedupe,
        source_task_id, retry_of, run_id, step, created_at)
      select a.id, a.owner, a.key, croft.lane_id(a.owner, a.key), a.type, a.class,
        case when a.run_at is null or a.run_at <= v_now then extract(epoch from v_now) - 3600 * a.class end,
        coalesce(a.run_at, v_now), a.attempts, a.timeout_ms, a.input, a.dedupe, a.source_task_id, a.retry_of,
        a.run_id, a.step, v_now
      from jsonb_to_recordset(p_jobs) as a(id uuid, owner text, key text, type text, class smallint, run_at timestamptz,
        attempts integer, timeout_ms bigint, input jsonb, dedupe text, source_task_id text, retry_of uuid, run_id uuid,
        step text)
      where a.id <> all (v_repeated)
      order by a.owner, a.dedupe, a.id
      on conflict (owner, dedupe) where dedupe is not null and status in ('queued', 'running') do nothing
      returning id, lane_id, owner, rank, class, run_at
  ), told as (
    insert into croft.event (subject, seq, owner, type, data, at)
      select id, 1, owner, 'job.queued',
        case when rank is null then jsonb_build_object('run_at', run_at) else '{}' end, v_now
      from new order by id
  ), come as (
    select lane_id, count(*)::integer as jobs, (array_agg(class order by rank, id))[1] as class, min(rank) as rank
    from new where rank is not null group by lane_id
  ), next as materialized (
    select l.id, l.owner, l.queued + c.jobs as queued,
      case when l.head_rank <= c.rank then l.head_rank else c.rank end as head_rank,
      case when l.head_rank <= c.rank then l.head_class else c.class end as head_class,
      case when croft.is_open(l) then l.turn else greatest(l.turn, o.clock) end as turn,
      croft.open_class(l) as class_before,
      not l.is_paused and l.running < l.max_running as is_open
    from come c join croft.lane l on l.id = c.lane_id join croft.owner o on o.id = l.owner
  ), lanes as (
    update croft.lane l set queued = n.queued, head_rank = n.head_rank, head_class = n.head_class, turn = n.turn,
      used_at = v_now
    from next n where l.id = n.id
  ), owners as (
    update croft.owner o set
      ready_background = o.ready_background + x.background,
      ready_normal = o.ready_normal + x.normal,
      ready_interactive = o.ready_interactive + x.interactive,
      turn = case when croft.is_open(o) then o.turn else greatest(o.turn, (select clock from croft.queue)) end
    from (
      select owner,
        sum((is_open and head_class = 0)::int - coalesce(class_before = 0, false)::int) as background,
        sum((is_open and head_class = 1)::int - coalesce(class_before = 1, false)::int) as normal,
        sum((is_open and head_class = 2)::int - coalesce(class_before = 2, false)::int) as interactive
      from next where (is_open or class_before is not null) and head_class is distinct from class_before group by owner
    ) x
    where o.id = x.owner
  )
  select coalesce(array_agg(id), '{}') into v_new from new;

  if cardinality(v_new) > 0 then
    perform pg_notify('croft_wake', ''), croft.announce(v_new);
  end if;
  if cardinality(v_new) = jsonb_array_length(p_jobs) then
    return query select id, id, 'new' from unnest(v_new) as n(id);
    return;
  end if;
  return query
    select a.id,
      case when a.id = any (v_new) then a.id else coalesce(i.job_id, d.id) end,
      case
        when a.id = any (v_new) then 'new'
        when a.id = any (v_repeated) then case when i.digest = decode(a.digest, 'hex') then 'repeated' else 'reused' end
        when d.id is not null then 'deduplicated'
        else 'again'
      end
    from jsonb_to_recordset(p_jobs) as a(id uuid, owner text, idempotency_key text, digest text, dedupe text)
    left join croft.idempotency i
      on i.owner = a.owner and i.key = a.idempotency_key and a.id = any (v_repeated)
    left join lateral ( -- joined plainly, every job with a dedupe key would be looked at
      select id from croft.job
      where owner = a.owner and dedupe = a.dedupe and status in ('queued', 'running') and a.id <> all (v_new) limit 1
    ) d on true;
  -- What is deduplicated keeps its answer under the idempotency key too.
  update croft.idempotency i set job_id = d.id
    from jsonb_to_recordset(p_jobs) as a(id uuid, owner text, idempotency_key text, dedupe text)
    join croft.job d on d.owner = a.owner and d.dedupe = a.dedupe and d.status in ('queued', 'running')
    where a.idempotency_key is not null and a.dedupe is not null and i.owner = a.owner and i.key = a.idempotency_key
      and i.job_id = a.id and a.id <> all (v_new);
end $$;

-- Delayed and retrying jobs get in line when they are due, not before: else a lane's head could be a job that may not run.
create function croft.admit_due(p_max integer) returns integer
language plpgsql as $$
declare
  v_jobs uuid[];
  v_lanes uuid[];
  v_before croft.lane[];
begin
  select array_agg(id), array_agg(distinct lane_id) into v_jobs, v_lanes from (
    select id, lane_id from croft.job
    where status = 'queued' and rank is null and run_at <= croft.now() order by run_at limit p_max) due;
  if v_jobs is null then return 0; end if;
  perform croft.hold_limits();
  insert into croft.lane (id, owner, key, max_running) -- it may have been idle for so long that it was cleared away
    select distinct j.lane_id, j.owner, j.key, case when j.key = '' then 2147483647 else q.lane_limit end
    from croft.job j, croft.queue q
    where j.id = any (v_jobs) and not exists (select from croft.lane l where l.id = j.lane_id)
    order by 1 on conflict do nothing;
  perform croft.lock_lanes(v_lanes);
  v_before := croft.read_lanes(v_lanes);
  with come as (
    update croft.job set rank = croft.rank_of(class)
    where id = any (v_jobs) and status = 'queued' and rank is null returning lane_id, rank, class, id
  ), sums as (
    select lane_id, count(*)::integer as jobs, (array_agg(class order by rank, id))[1] as class, min(rank) as rank
    from come group by lane_id
  )
  update croft.lane l set
    queued = l.queued + s.jobs,
    head_rank = case when l.head_rank <= s.rank then l.head_rank else s.rank end,
    head_class = case when l.head_rank <= s.rank then l.head_class else s.class end,
    turn = case when croft.is_open(l) then l.turn else greatest(l.turn, o.clock) end,
    used_at = croft.now()
  from sums s, croft.owner o where l.id = s.lane_id and o.id = l.owner;
  perform croft.count_ready(v_before);
  return cardinality(v_jobs);
end $$;

-- The turn of a worker that has nothing to tell, when there is but one lane to choose: what `settle_and_claim` comes to
-- then, without the comparing of lanes and owners. They are given as they were locked.
create function croft.claim_from(p_worker uuid, p_lane croft.lane, p_owner croft.owner, p_first float8, p_room integer,
  p_types text[], out started uuid[], out claimed json)
language plpgsql as $$
declare
  v_jobs uuid[];
  v_many integer;
  v_before smallint := croft.open_class(p_lane);
  v_after smallint;
  v_now timestamptz := croft.now();
begin
  if v_before is null or p_room <= 0 then return; end if;
  v_jobs := array(
    select id from (
      select id, type, rank from croft.job
      where lane_id = p_lane.id and status = 'queued' and rank is not null order by rank, id limit p_room) x
    where type = any (p_types));
  v_many := cardinality(v_jobs);
  if v_many = 0 then return; end if;
  with changed as (
    update croft.job set status = 'running', worker_id = p_worker, attempt = attempt + 1, started_at = v_now,
      finished_at = null, progress = null, result = null, seq = seq + 1, event_xid = greatest(event_xid, pg_current_xact_id())
    where id = any (v_jobs)
    returning id, owner, key, lane_id, type, class, attempt, timeout_ms, input, source_task_id, seq, event_xid
  ), told as (
    insert into croft.event (subject, seq, xid, owner, type, data, at)
      select id, seq, event_xid, owner, 'job.started', jsonb_build_object('attempt', attempt, 'worker', p_worker), v_now
      from changed
  )
  select array_agg(c.id), json_agg(json_build_object('id', c.id, 'owner', c.owner, 'key', c.key, 'lane_id', c.lane_id,
      'type', c.type, 'class', c.class, 'attempt', c.attempt, 'timeout_ms', c.timeout_ms, 'input', c.input,
      'source_task_id', c.source_task_id))
    into started, claimed from changed c;
  p_lane.turn := greatest(p_lane.turn, p_owner.clock - 40);
  p_lane.running := p_lane.running + v_many;
  p_lane.queued := p_lane.queued - v_many;
  p_lane.head_rank := null;
  p_lane.head_class := null;
  if p_lane.queued > 0 then
    select rank, class into p_lane.head_rank, p_lane.head_class from croft.job
      where lane_id = p_lane.id and status = 'queued' and rank is not null order by rank, id limit 1;
  end if;
  update croft.lane set running = p_lane.running, queued = p_lane.queued, turn = p_lane.turn + v_many,
    head_rank = p_lane.head_rank, head_class = p_lane.head_class, used_at = v_now where id = p_lane.id;
  v_after := croft.open_class(p_lane);
  update croft.owner o set
    running = o.running + v_many, turn = o.turn + v_many, clock = greatest(o.clock, p_lane.turn + v_many - 1),
    floor = greatest(o.floor, least(p_first, o.clock) - 16),
    ready_background = o.ready_background + coalesce(v_after = 0, false)::int - (v_before = 0)::int,
    ready_normal = o.ready_normal + coalesce(v_after = 1, false)::int - (v_before = 1)::int,
    ready_interactive = o.ready_interactive + coalesce(v_after = 2, false)::int - (v_before = 2)::int
    where id = p_owner.id;
  update croft.queue set running = running + v_many, clock = greatest(clock, p_owner.turn + v_many - 1);
end $$;

-- Whether an attempt that ended so is followed by another.
create function croft.comes_back(p_result jsonb, p_attempts integer, p_failures integer, p_losses integer) returns boolean
language sql immutable
as $$
  select case p_result ->> 'outcome' when 'drained' then true
    when 'lost' then p_losses < coalesce((p_result ->> 'max_lost')::integer, 20)
    else p_failures + 1 < coalesce((p_result ->> 'tries')::integer, case p_result ->> 'class'
      when 'transient' then coalesce(p_attempts, 3) when 'command' then coalesce(p_attempts, 1)
      when 'timeout' then coalesce(p_attempts, 1) else 1 end) end
$$;

-- The turn of a worker. First its results: each ends an attempt as done, held, failed, cancelled, drained or lost, if the
-- attempt is still its own; a late word of a worker that lost its lease changes nothing. `held` is done, but the place in
-- the lane stays taken, by the run that the job is of. Then as many jobs for its free slots as there is room for at all
-- three levels: owners take turns, and so do the lanes of one owner. Both in one statement, so that a lane that goes on with
-- its next job is written once, and the plan is started once.
--
-- A lane's place is its turn less eight for each class of its next job, so at most sixteen before its turn. It opens at its
-- owner's clock at least, and turns only go on. Hence sixteen before the first place that was found, or before the clock if
-- that is less, is a floor: no lane that is open now, or opens later, comes before it. That spares what earlier turns left,
-- which lies there as long as somebody keeps an old snapshot. A worker that does not take every type (`p_is_wide`) passes
-- lanes by and does not know the first. What was passed by makes up for forty turns at most.
create function croft.settle_and_claim(
  p_worker uuid, p_results jsonb, p_slots integer, p_types text[], p_is_wide boolean, out released uuid[],
  out started uuid[], out claimed json)
language plpgsql as $$
#variable_conflict use_column
declare
  v_room integer;
  v_many integer;
  v_lanes uuid[];
  v_found uuid[];
  v_first_of text[]; -- owners, and the place of the first lane that each has
  v_first float8[];
  v_is_deep boolean := false;
  v_owners text[] := '{}';
  v_lane croft.lane[]; -- as they were locked
  v_owner croft.owner[];
  v_running integer;
  v_max integer;
  v_clock float8;
  v_back uuid[];
  v_runs uuid[];
  v_held uuid[];
  v_told uuid[];
  v_kept uuid[];
  v_now timestamptz := croft.now();
  v_begins jsonb := jsonb_build_object('attempt', 1, 'worker', p_worker);
begin
  released := '{}';
  if p_results is not null then
    -- Field by field: `jsonb_to_recordset` takes twice as long.
    select array_agg((r ->> 'lane_id')::uuid), array_agg(r ->> 'owner'),
        array_agg((r ->> 'id')::uuid) filter (where r ->> 'outcome' = 'failed')
      into v_lanes, v_owners, v_kept from jsonb_array_elements(p_results) r;
    if exists (select from croft.line_member) then -- who comes next in a line may get into its lane: locked with the others
      v_lanes := v_lanes || array(
        select j.lane_id from jsonb_array_elements(p_results) r
        join croft.line_member m on m.job_id = (r ->> 'id')::uuid
        join croft.line_member f on f.owner = m.owner and f.line = m.line and f.place > m.place and f.is_held
        join croft.job j on j.id = f.job_id);
    end if;
  end if;
  select running, max_running, clock into v_running, v_max, v_clock from croft.queue;
  -- As if all of them were its own still; without a limit that is one more than an integer holds.
  v_room := least(p_slots, v_max::bigint - v_running + cardinality(v_owners));
  if v_room > 0 then
    -- Only those that can have a turn now: owners by their turn, and of each as many lanes as may come before the room is
    -- taken. Ties go as below. The nth owner in line starts after n - 1 of others.
    loop
      v_many := v_room;
      select array_agg(x.lane), array_agg(x.owner) filter (where x.nth = 1), array_agg(x.place) filter (where x.nth = 1)
        into v_found, v_first_of, v_first
      from (
        select l.id as lane, o.id as owner, l.place, l.nth
        from (
          select id, floor, room, place, row_number() over (order by place, id) as nth from (
            (select id, floor, max_running - running + cardinality(array_positions(v_owners, id)) as room,
              turn - 8 * case when ready_interactive > 0 then 2 when ready_normal > 0 then 1 else 0 end as place
            from croft.owner
            where running < max_running and ready_background + ready_normal + ready_interactive > 0
            order by (turn - 8 * case when ready_interactive > 0 then 2 when ready_normal > 0 then 1 else 0 end), id
            limit case when p_is_wide then 1000 else v_many end)
            union all -- and those that these results give room again
            select id, floor, max_running - running + cardinality(array_positions(v_owners, id)),
              turn - 8 * case when ready_interactive > 0 then 2 when ready_normal > 0 then 1 else 0 end
            from croft.owner where id = any (v_owners) and running >= max_running) o
        ) o cross join lateral (
          select id, place, row_number() over () as nth from (
            select id, (turn - 8 * head_class) as place
            from croft.lane where owner = o.id and not is_paused and queued > 0 and running < max_running
              and (turn - 8 * head_class) >= case when v_is_deep then '-infinity' else o.floor end
              -- Not `exists`: it may be made a list of all that wait.
              and (not p_is_wide or (
                select true from croft.job j where j.lane_id = lane.id and j.status = 'queued' and j.rank is not null
                  and j.type = any (p_types) limit 1))
            order by (turn - 8 * head_class), id
            limit greatest(0, least(v_many - case when p_is_wide then 1 else o.nth end + 1, o.room))) l
        ) l
        order by o.place + l.nth, l.nth, o.id limit v_many
      ) x;
      exit when v_found is not null or p_is_wide or v_is_deep or not exists (
        select from croft.owner
        where running < max_running and ready_background + ready_normal + ready_interactive > 0);
      v_is_deep := true; -- somebody waits: by what is said above, it would have been found
    end loop;
    if p_is_wide then v_first_of := null; end if;
    v_lanes := v_found || v_lanes;
  end if;
  if v_lanes is null or v_lanes = '{}' then return; end if;
  select array_agg(x.l), array_agg(distinct (x.l).owner) into v_lane, v_owners from (
    select l from croft.lane l where l.id = any (v_lanes) order by l.id for update) x;
  select array_agg(x.o) into v_owner from (
    select o from croft.owner o where o.id = any (v_owners) order by o.id for update) x;
  if v_kept is not null then -- what failed may be tried again, and comes first then. Not before: some may just have joined
    v_kept := croft.followers(v_kept);
  end if;
  if p_results is null and not p_is_wide and cardinality(v_lane) = 1 then
    select c.started, c.claimed into started, claimed from croft.claim_from(p_worker, v_lane[1], v_owner[1], v_first[1],
      least(v_room, v_lane[1].max_running - v_lane[1].running, v_owner[1].max_running - v_owner[1].running), p_types) c;
    return;
  end if;

  with ended as (
    update croft.job j set
      status = (case when r.outcome in ('done', 'held') then 'done'
        when r.outcome = 'cancelled' or j.cancel_requested_at is not null then 'cancelled'
        when croft.comes_back(r.said, j.attempts, j.failures, j.losses) then 'queued'
        else 'failed' end)::croft.job_status,
      worker_id = null,
      rank = case when r.outcome in ('lost', 'drained') then j.rank end,
      run_at = case when r.outcome = 'failed' and j.cancel_requested_at is null
          and croft.comes_back(r.said, j.attempts, j.failures, j.losses)
        then v_now + make_interval(secs => coalesce(
          (r.said ->> 'delay_ms')::float8 / 1000, least(600, power(2, j.failures)) * (0.5 + random() / 2))) else j.run_at end,
      failures = j.failures + (r.outcome = 'failed')::integer,
      losses = j.losses + (r.outcome = 'lost')::integer,
      finished_at = case when r.outcome in ('done', 'held', 'cancelled') or j.cancel_requested_at is not null
          or not croft.comes_back(r.said, j.attempts, j.failures, j.losses) then v_now end,
      result = r.result,
      error = case when r.outcome not in ('done', 'held') then nullif(r.said -> 'error', 'null') end,
      seq = j.seq + 1,
      event_xid = greatest(j.event_xid, pg_current_xact_id())
    from (
      select (r ->> 'id')::uuid as id, (r ->> 'lane_id')::uuid as lane_id, (r ->> 'attempt')::integer as attempt,
        r ->> 'outcome' as outcome, nullif(r -> 'result', 'null') as result, r as said
      from jsonb_array_elements(p_results) r offset 0
    ) r
    -- By the id, whatever is known of the tables: said so that no other index fits. Else all that runs anywhere may be read
    -- to find a few.
    where j.id = r.id and (j.worker_id = p_worker and j.status = 'running' and j.attempt = r.attempt
      and j.lane_id = r.lane_id) is true
    returning j.id, j.owner, j.lane_id, j.status, j.attempt, j.seq, j.event_xid, j.error, j.run_at, j.run_id, j.notify, r.outcome
  ), gone as materialized ( -- one row
    select count(*)::integer as jobs, coalesce(array_agg(owner), '{}') as owners,
      coalesce(array_agg(lane_id) filter (where outcome <> 'held'), '{}') as lanes,
      coalesce(array_agg(lane_id) filter (where status = 'queued' and outcome <> 'failed'), '{}') as back,
      array_agg(lane_id) as told
    from ended
  ), owner_now as materialized (
    select o.id, o.clock, o.running - cardinality(array_positions(g.owners, o.id)) as running,
      o.max_running - o.running + cardinality(array_positions(g.owners, o.id)) as room,
      greatest(o.turn, case when croft.is_open(o) then v_clock - 40 else v_clock end) as turn
    from gone g, unnest(v_owner) o
  ), lane_now as materialized (
    select l.id, l.owner, l.max_running, l.is_paused, l.running - cardinality(array_positions(g.lanes, l.id)) as running,
      l.queued + cardinality(array_positions(g.back, l.id)) as queued, l.id = any (g.told) as is_told,
      greatest(l.turn, case when croft.is_open(l) then o.clock - 40 else o.clock end) as turn,
      croft.open_class(l) as class_before,
      o.turn as owner_turn, o.room
    from gone g, owner_now o, unnest(v_lane) l where l.owner = o.id
  ), line as (
    select j.id, j.class, j.rank, l.id as lane, l.owner,
      l.turn + row_number() over (partition by l.id order by j.rank, j.id) - 1 as turn, l.owner_turn, l.room
    from lane_now l cross join lateral (
      select id, class, rank from (
        (select id, class, rank from croft.job
        where not p_is_wide and lane_id = l.id and status = 'queued' and rank is not null
        order by rank, id limit least(l.max_running - l.running, l.room, v_room))
        union all
        select w.id, w.class, w.rank from unnest(p_types) t cross join lateral (
          select id, class, rank from croft.job
          where type = t and lane_id = l.id and status = 'queued' and rank is not null
          order by rank, id limit least(l.max_running - l.running, l.room, v_room)) w
        where p_is_wide) x
      where v_kept is null or id <> all (v_kept)
      order by rank, id limit least(l.max_running - l.running, l.room, v_room)
    ) j
    where v_room > 0 and l.room > 0 and not l.is_paused and l.queued > 0 and l.running < l.max_running
  ), fair as (
    select line.*, row_number() over (partition by owner order by turn - 8 * class, rank, id) as nth from line
  ), pick as materialized (
    -- An owner's jobs keep their order: the class of one also carries those before it, else it would go first for ever.
    select id, lane, owner_turn + nth - 1 as owner_turn
    from (
      select fair.*, min(owner_turn + nth - 1 - 8 * class) over (partition by owner order by nth desc) as place
      from fair where nth <= room
    ) x
    order by place, nth, owner, rank, id
    limit greatest(0, least(v_room, v_max - v_running + (select jobs from gone)))
  ), taken as materialized ( -- one row
    select coalesce(array_agg(id), '{}') as ids, coalesce(array_agg(lane), '{}') as lanes, max(owner_turn) as turn from pick
  ), begun as (
    update croft.job j set status = 'running', worker_id = p_worker, attempt = j.attempt + 1, started_at = v_now,
      finished_at = null, progress = null, result = null, seq = j.seq + 1,
      event_xid = greatest(j.event_xid, pg_current_xact_id())
    from pick where j.id = pick.id
    returning j.id, j.owner, j.key, j.lane_id, j.type, j.class, j.attempt, j.timeout_ms, j.input, j.source_task_id, j.seq,
      j.event_xid
  ), told as (
    insert into croft.event (subject, seq, xid, owner, type, data, at)
      select id, seq, event_xid, owner, case status when 'queued' then 'job.retrying' else 'job.' || status::text end,
        case when status = 'done' and attempt = 1 then '{"attempt": 1}' -- made once: nearly all are
          when status = 'done' then jsonb_build_object('attempt', attempt)
          else jsonb_strip_nulls(jsonb_build_object('attempt', attempt, 'outcome', nullif(outcome, status::text),
            'error', error, 'run_at', case when status = 'queued' then run_at end)) end, v_now
      from ended
      union all -- what made room comes before what took it
      select id, seq, event_xid, owner, 'job.started',
        case attempt when 1 then v_begins else jsonb_build_object('attempt', attempt, 'worker', p_worker) end, v_now
      from begun
  ), next as materialized (
    select n.id, n.owner, n.jobs, n.running + n.jobs as running, n.queued - n.jobs as queued, n.turn + n.jobs as turn,
      h.rank as head_rank, h.class as head_class, n.class_before,
      case when not n.is_paused and n.queued > n.jobs and n.running + n.jobs < n.max_running then h.class end as class_after
    from (
      -- `offset 0`: counted once, not wherever it is named
      select n.*, cardinality(array_positions(t.lanes, n.id)) as jobs from taken t, lane_now n offset 0
    ) n left join lateral (
      select rank, class from croft.job
      where lane_id = n.id and status = 'queued' and rank is not null and id not in (select id from pick)
      order by rank, id limit 1
    ) h on true
    where n.is_told or n.jobs > 0
  ), lanes as (
    update croft.lane l set running = n.running, queued = n.queued, turn = n.turn, head_rank = n.head_rank,
      head_class = n.head_class, used_at = v_now
    from next n where l.id = n.id
  ), owners as (
    update croft.owner o set
      running = n.running + c.jobs, turn = n.turn + c.jobs, clock = greatest(o.clock, c.turn),
      floor = case when o.id = any (v_first_of)
        then greatest(o.floor, least(v_first[array_position(v_first_of, o.id)], o.clock) - 16) else o.floor end,
      ready_background = o.ready_background + c.background,
      ready_normal = o.ready_normal + c.normal,
      ready_interactive = o.ready_interactive + c.interactive
    from (
      select owner, sum(jobs)::integer as jobs, max(turn - 1) filter (where jobs > 0) as turn,
        count(*) filter (where class_after = 0) - count(*) filter (where class_before = 0) as background,
        count(*) filter (where class_after = 1) - count(*) filter (where class_before = 1) as normal,
        count(*) filter (where class_after = 2) - count(*) filter (where class_before = 2) as interactive
      from next group by owner
    ) c join owner_now n on n.id = c.owner
    where o.id = n.id
  ), total as (
    update croft.queue q set running = q.running - g.jobs + cardinality(t.ids), clock = greatest(q.clock, t.turn)
    from gone g, taken t where g.jobs > 0 or t.ids <> '{}'
  )
  select coalesce(array_agg(id), '{}'), array_agg(run_id) filter (where run_id is not null and status <> 'queued'),
      array_agg(id) filter (where outcome = 'held'), array_agg(id) filter (where notify and status <> 'queued'),
      (select back from gone), (select array_agg(id) from begun),
      (select json_agg(s) from (
        select id, owner, key, lane_id, type, class, attempt, timeout_ms, input, source_task_id from begun) s)
    into released, v_runs, v_held, v_told, v_back, started, claimed
    from ended;
  if v_back <> '{}' then -- what has just come back is not in sight of the statement that brought it
    v_lane := croft.read_lanes(v_back);
    perform croft.refresh_heads(v_back);
    perform croft.count_ready(v_lane);
    perform pg_notify('croft_wake', '');
  end if;
  if v_held is not null then perform croft.hold_lanes(v_held); end if;
  if v_runs is not null then perform croft.mark_due(v_runs); end if;
  if v_kept is not null then
    perform croft.hold_jobs(croft.followers(array(
      select id from croft.job where id = any (released) and status = 'queued' and rank is null)));
    perform pg_notify('croft_wake', '');
  end if;
  if v_told is not null then perform croft.tell_finished(v_told); end if;
  if p_results @? '$[*].assets' then perform croft.keep_job_assets(p_results, released); end if;
end $$;

-- What a worker says and asks in one call: these have ended, and I have so many free slots. `refused`: results of attempts
-- that are not its own any more.
create function croft.take_turn(p_worker uuid, p_results jsonb, p_slots integer, p_types text[])
returns table (refused uuid[], claimed json, next_due_at timestamptz)
language plpgsql as $$
declare
  v_released uuid[];
  v_started uuid[];
  v_slots integer;
  v_is_partial boolean;
begin
  perform croft.lock_queue();
  select (select min(run_at) from croft.job where status = 'queued' and rank is null),
      case when exists (select from croft.worker
        where id = p_worker and ended_at is null and not is_draining and lease_until > croft.now()) then p_slots else 0 end,
      exists (select from croft.job_type t where t.type <> all (p_types) and (
        select true from croft.job j where j.type = t.type and j.status = 'queued' and j.rank is not null limit 1))
    into next_due_at, v_slots, v_is_partial;
  select t.released, t.started, t.claimed into v_released, v_started, claimed
    from croft.settle_and_claim(p_worker, p_results, v_slots, p_types, v_is_partial) t;
  if cardinality(v_released || v_started) > 0 then perform croft.announce(v_released || v_started); end if;
  if cardinality(v_released) < jsonb_array_length(p_results) then
    refused := array(
      select r.id from jsonb_to_recordset(p_results) as r(id uuid) where r.id <> all (v_released));
  end if;
  -- A freed place that this worker has not taken itself may be another's.
  if cardinality(v_released) > 0 and exists (select from croft.worker where ended_at is null and id <> p_worker) and exists (
    select from croft.owner
    where running < max_running and ready_background + ready_normal + ready_interactive > 0)
  then
    perform pg_notify('croft_wake', '');
  end if;
  return next;
end $$;

-- Cancels what is queued at once; what runs is asked to end, and its worker settles it. Returns what became of each id.
create function croft.cancel(p_jobs uuid[]) returns table (job_id uuid, outcome text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_lanes uuid[];
  v_before croft.lane[];
  v_cancelled uuid[];
  v_asked uuid[];
  v_runs uuid[];
  v_told uuid[];
begin
  select array_agg(distinct lane_id) into v_lanes from croft.job
    where id = any (p_jobs) and status in ('queued', 'running');
  if v_lanes is not null then
    perform croft.lock_lanes(v_lanes);
    v_before := croft.read_lanes(v_lanes);
  end if;
  with ended as (
    update croft.job set status = 'cancelled', finished_at = croft.now(), seq = seq + 1,
      event_xid = greatest(event_xid, pg_current_xact_id()),
      cancel_requested_at = coalesce(cancel_requested_at, croft.now()),
      error = jsonb_build_object('code', 'cancelled', 'class', 'cancelled', 'message', case when error is null
        then 'cancelled before it started' else 'cancelled before its next attempt; the last one: ' || (error ->> 'message') end)
    where id = any (p_jobs) and status = 'queued'
    returning id, owner, lane_id, seq, event_xid, rank, run_id, notify
  ), told as (
    insert into croft.event (subject, seq, xid, owner, type, data)
      select id, seq, event_xid, owner, 'job.cancelled', '{}' from ended
  ), lanes as (
    update croft.lane l set queued = l.queued - x.jobs
    from (select lane_id, count(*)::integer as jobs from ended where rank is not null group by lane_id) x
    where l.id = x.lane_id
  )
  select coalesce(array_agg(id), '{}'), array_agg(run_id) filter (where run_id is not null), array_agg(id) filter (where notify)
    into v_cancelled, v_runs, v_told from ended;
  if v_runs is not null then perform croft.mark_due(v_runs); end if;
  if v_told is not null then perform croft.tell_finished(v_told); end if;
  if cardinality(v_cancelled) > 0 then
    perform croft.refresh_heads(v_lanes);
    perform croft.count_ready(v_before);
    -- Who has just chosen one of these lanes finds it closed, and must look for another.
    perform pg_notify('croft_wake', ''), croft.announce(v_cancelled);
  end if;
  with asked as (
    update croft.job set cancel_requested_at = croft.now()
    where id = any (p_jobs) and status = 'running' and cancel_requested_at is null returning id
  )
  select coalesce(array_agg(id), '{}') into v_asked from asked;
  if cardinality(v_asked) > 0 then
    perform pg_notify('croft_cancel', case when cardinality(v_asked) > 100 then '*' else array_to_string(v_asked, ',') end);
  end if;
  return query select id, case when id = any (v_cancelled) then 'cancelled' when status = 'running' then 'asked' else 'ended' end
    from croft.job where id = any (p_jobs);
end $$;

create function croft.set_limits(p_global integer, p_owner integer, p_lane integer) returns void
language plpgsql as $$
declare
  v_lanes uuid[];
  v_before croft.lane[];
begin
  perform croft.lock_queue();
  perform pg_advisory_xact_lock(727563818, 5); -- after it: a turn may make lanes, too
  update croft.queue set max_running = p_global, owner_limit = p_owner, lane_limit = p_lane;
  select array_agg(id) into v_lanes from croft.lane where not has_own_limit and key <> '' and max_running <> p_lane;
  perform from croft.lane where id = any (v_lanes) order by id for update;
  perform from croft.owner where id in (select owner from croft.lane where id = any (v_lanes))
    or not has_own_limit and max_running <> p_owner order by id for update;
  v_before := croft.read_lanes(v_lanes);
  update croft.lane l set max_running = p_lane,
      turn = case when croft.is_open(l) then l.turn else greatest(l.turn, (select clock from croft.owner where id = l.owner)) end
    where id = any (v_lanes) and not has_own_limit;
  if v_before is not null then perform croft.count_ready(v_before); end if;
  if p_lane > 1 then perform croft.hold_followers_in(v_lanes); end if;
  update croft.owner o set max_running = p_owner,
      turn = case when croft.is_open(o) then o.turn else greatest(o.turn, (select clock from croft.queue)) end
    where not has_own_limit and max_running <> p_owner;
  perform pg_notify('croft_wake', '');
end $$;

-- A limit of null is the default again; what is not asked for stays.
create function croft.change_lane(p_lane uuid, p_limit integer, p_sets_limit boolean, p_paused boolean) returns boolean
language plpgsql as $$
declare
  v_before croft.lane[];
  v_lane croft.lane;
begin
  perform croft.lock_lanes(array[p_lane]);
  v_before := croft.read_lanes(array[p_lane]);
  if v_before is null then return false; end if;
  update croft.lane l set
    max_running = case when not p_sets_limit then l.max_running when p_limit is not null then p_limit
      when l.key = '' then 2147483647 else (select lane_limit from croft.queue) end,
    has_own_limit = case when p_sets_limit then p_limit is not null else l.has_own_limit end,
    is_paused = coalesce(p_paused, l.is_paused),
    turn = case when croft.is_open(l) then l.turn else greatest(l.turn, (select clock from croft.owner where id = l.owner)) end,
    -- One that was cleared away and came back goes on counting.
    seq = 1 + greatest(l.seq, (select coalesce(max(seq), 0) from croft.event where subject = p_lane))
  where id = p_lane returning * into v_lane;
  perform croft.count_ready(v_before);
  if v_lane.max_running > 1 then perform croft.hold_followers_in(array[p_lane]); end if;
  insert into croft.event (subject, seq, owner, type, data) values (v_lane.id, v_lane.seq, v_lane.owner, 'lane.changed',
    jsonb_build_object('key', v_lane.key, 'limit', nullif(v_lane.max_running, 2147483647), 'paused', v_lane.is_paused));
  perform croft.announce(array[p_lane]);
  perform pg_notify('croft_wake', '');
  return true;
end $$;

-- One plan for all calls, by indexes, in their order: planning them anew took as long as the work, small tables grow, and
-- statistics of an empty queue make a bitmap of a whole line look cheap. What these call runs under the same settings.
do $$
declare
  v_function regprocedure;
  v_kind text;
begin
  for v_function in
    select oid::regprocedure from pg_proc
    where pronamespace = 'croft'::regnamespace and proname in ('enqueue', 'admit_due', 'take_turn', 'cancel')
  loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', v_function);
    foreach v_kind in array array['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'incremental_sort', 'material'] loop
      execute format('alter function %s set enable_%s = off', v_function, v_kind);
    end loop;
  end loop;
end $$;
