-- Apps with their addresses, repositories and who watches them, what is to be told, and how telling it went.

alter table croft.app
  add email text,
  add base_url text, -- where deliveries go; an app without one only asks
  add description text not null default '',
  add is_paused boolean not null default false,
  add delivery_slots integer not null default 4,
  add seq integer not null default 0,
  add updated_at timestamptz not null default croft.now(),
  -- How its address behaves: after failures in a row nothing is sent until then; after a 410 not before somebody says so.
  add endpoint_failures integer not null default 0,
  add endpoint_closed_until timestamptz,
  add endpoint_gone_at timestamptz,
  -- Its tokens are refused from then on; the row goes when its last attempt has settled.
  add deleted_at timestamptz;

-- What deliveries are signed with. Two may be valid at a time, while one takes the other's place: both sign then.
create table croft.signing_secret (
  id uuid primary key,
  app_id uuid not null references croft.app on delete cascade,
  key_id text not null references croft.encryption_key,
  ciphertext bytea not null,
  created_at timestamptz not null default croft.now(),
  expires_at timestamptz
);
create index signing_secret_app on croft.signing_secret (app_id);
create index signing_secret_key on croft.signing_secret (key_id, id);

-- The processes that poll and send. What one of them had in its hands when its lease ended is anybody's.
create table croft.dispatcher (
  id uuid primary key,
  host text not null,
  pid integer not null,
  process_start text not null,
  lease_until timestamptz not null
);

-- One remote, whoever watches it: asked once for all of them.
create table croft.repository (
  id uuid primary key,
  url text not null unique,
  poll_ms integer not null,
  next_poll_at timestamptz not null default croft.now(),
  dispatcher_id uuid,
  polled_at timestamptz,
  failures integer not null default 0,
  error jsonb,
  seq integer not null default 0,
  created_at timestamptz not null default croft.now()
);
create index repository_due on croft.repository (next_poll_at);
create index repository_dispatcher on croft.repository (dispatcher_id) where dispatcher_id is not null;

-- What an app wants to know of a repository, and the commit, ref and filters by which it was last told (or will be, by
-- deliveries that are on their way): the next change is found against these.
create table croft.watch (
  id uuid primary key,
  app_id uuid not null references croft.app on delete cascade,
  repository_id uuid not null references croft.repository,
  ref text not null, -- '' is the remote's default branch
  credential_id uuid references croft.credential on delete set null,
  include text[] not null default '{}',
  exclude text[] not null default '{}',
  poll_ms integer,
  state text not null default 'pending' check (state in ('pending', 'synced', 'failing')),
  is_held boolean not null default false, -- its credential was refused: nothing of it is sent
  wants_resync boolean not null default false,
  told_commit text,
  told_ref text,
  told_include text[],
  told_exclude text[],
  told_at timestamptz,
  checked_at timestamptz, -- when its own credential was last seen to work
  failures integer not null default 0,
  failed_since timestamptz,
  retry_at timestamptz,
  error jsonb,
  next_number bigint not null default 1, -- of its next delivery
  seq integer not null default 0,
  created_at timestamptz not null default croft.now(),
  unique (app_id, repository_id, ref)
);
create index watch_repository on croft.watch (repository_id);
create index watch_credential on croft.watch (credential_id) where credential_id is not null;

-- One step of a watch from what was told to what is there. `making` while its deliveries are written: they count for
-- nothing until the step is whole, and go with it when its maker dies.
create table croft.sync (
  id uuid primary key,
  watch_id uuid not null references croft.watch on delete cascade,
  dispatcher_id uuid not null,
  host text not null, -- whose mirror has the content
  from_commit text,
  to_commit text not null,
  ref text not null,
  is_resync boolean not null default false,
  is_reset boolean not null default false,
  state text not null default 'making' check (state in ('making', 'ready', 'settled')),
  messages integer not null default 0,
  files integer not null default 0,
  unsettled integer not null default 0,
  created_at timestamptz not null default croft.now(),
  settled_at timestamptz
);
create index sync_watch on croft.sync (watch_id, id);
create index sync_making on croft.sync (dispatcher_id) where state = 'making';

-- A message to an app. `files` says which, never what is in them: that is read from the mirror when it is sent.
--   staged ─▶ pending ─▶ sending ─▶ delivered
--                ▲          ├─▶ pending (later) ├─▶ failed | quarantined | cancelled
--                └──────────┘   split: two halves take its place
create table croft.delivery (
  id uuid primary key,
  app_id uuid not null references croft.app on delete cascade,
  watch_id uuid references croft.watch on delete cascade,
  sync_id uuid references croft.sync on delete cascade,
  type text not null,
  number bigint not null default 0, -- in its watch
  message integer not null default 0, -- in its sync
  files jsonb,
  data jsonb,
  path_keys bigint[] not null default '{}',
  waits integer not null default 0, -- how many before it have to be settled first
  state text not null default 'pending',
  host text,
  attempt integer not null default 0, -- fences what is told of it
  failures integer not null default 0, -- by which the next try is set
  refusals integer not null default 0, -- 5xx in a row, while others were accepted
  chunk integer not null default 0, -- the next one of a large file
  dispatcher_id uuid,
  due_at timestamptz not null default croft.now(),
  status_code integer,
  error jsonb,
  replay_of uuid,
  seq integer not null default 0,
  created_at timestamptz not null default croft.now(),
  started_at timestamptz,
  settled_at timestamptz
) with (fillfactor = 70);
create index delivery_due on croft.delivery (app_id, due_at, number) where state = 'pending' and waits = 0;
create index delivery_sending on croft.delivery (app_id) where state = 'sending';
create index delivery_open on croft.delivery (watch_id, number) where state in ('staged', 'pending', 'sending');
create index delivery_sync on croft.delivery (sync_id, message);
create index delivery_app on croft.delivery (app_id, id);
create index delivery_bad on croft.delivery (id) where state in ('failed', 'quarantined');
create index delivery_settled on croft.delivery (settled_at) where settled_at is not null;

-- Order for each path: who has to wait for whom.
create table croft.delivery_wait (
  delivery_id uuid not null references croft.delivery on delete cascade,
  waits_for uuid not null references croft.delivery on delete cascade,
  primary key (waits_for, delivery_id)
);
create index delivery_wait_delivery on croft.delivery_wait (delivery_id);

create table croft.delivery_attempt (
  delivery_id uuid not null references croft.delivery on delete cascade,
  attempt integer not null,
  chunk integer, -- null: the message itself
  at timestamptz not null default croft.now(),
  duration_ms integer not null,
  status_code integer,
  request jsonb not null,
  response jsonb,
  error jsonb
);
create index delivery_attempt_delivery on croft.delivery_attempt (delivery_id, at);

-- What a dispatcher may send now: of each app no more at once than it takes, one to try where it was ill, and only what this
-- host has the content of (or nobody has who lives). Serialised, so that the limit holds for all processes together.
create function croft.claim_deliveries(p_dispatcher uuid, p_host text, p_max integer)
returns table (delivery_id uuid, claimed_attempt integer)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727563818, 2);
  return query
    with room as materialized (
      select a.id, case when a.endpoint_failures > 0 then 1 else a.delivery_slots end
        - (select count(*) from croft.delivery s where s.app_id = a.id and s.state = 'sending')::integer as free
      from croft.app a
      where a.base_url is not null and not a.is_paused and a.deleted_at is null and a.endpoint_gone_at is null
        and coalesce(a.endpoint_closed_until, '-infinity') <= croft.now()
        and exists (select from croft.delivery d
          where d.app_id = a.id and d.state = 'pending' and d.waits = 0 and d.due_at <= croft.now())
    ), pick as materialized (
      select x.id from room r cross join lateral (
        select d.id from croft.delivery d left join croft.watch w on w.id = d.watch_id
        where d.app_id = r.id and d.state = 'pending' and d.waits = 0 and d.due_at <= croft.now()
          and (d.files is null or not w.is_held)
          and (d.host is null or d.host = p_host
            or not exists (select from croft.dispatcher o where o.host = d.host and o.lease_until > croft.now()))
        order by d.due_at, d.number limit greatest(r.free, 0)) x
      limit p_max
    )
    update croft.delivery d set state = 'sending', dispatcher_id = p_dispatcher, attempt = d.attempt + 1,
      started_at = croft.now()
    from pick where d.id = pick.id returning d.id, d.attempt;
end $$;

-- How deliveries went, if they are still this dispatcher's. Who waited for one that is settled goes on; an address that fails
-- again and again rests, for longer each time.
create function croft.settle_deliveries(p_dispatcher uuid, p_results jsonb) returns uuid[]
language plpgsql as $$
declare
  v_settled uuid[];
  v_told uuid[];
  v_syncs uuid[];
begin
  perform from croft.delivery d join jsonb_to_recordset(p_results) as r(id uuid) on d.id = r.id order by d.id for update of d;
  with changed as (
    update croft.delivery d set
      state = r.state, dispatcher_id = null,
      due_at = croft.now() + make_interval(secs => coalesce(r.after_ms, 0) / 1000.0),
      failures = d.failures + coalesce(r.fails, false)::integer, refusals = coalesce(r.refusals, 0),
      chunk = coalesce(r.chunk, d.chunk), status_code = r.status_code, error = r.error, seq = d.seq + 1,
      settled_at = case when r.state <> 'pending' then croft.now() end
    from jsonb_to_recordset(p_results) as r(id uuid, attempt integer, state text, after_ms float8, fails boolean,
      refusals integer, chunk integer, status_code integer, error jsonb)
    where d.id = r.id and d.dispatcher_id = p_dispatcher and d.state = 'sending' and d.attempt = r.attempt
    returning d.id, d.app_id, d.watch_id, d.sync_id, d.seq, d.state, d.status_code, d.error, d.attempt, d.due_at
  ), told as (
    insert into croft.event (subject, seq, owner, type, data)
      select id, seq, 'app:' || app_id, 'delivery.' || case state when 'pending' then 'retrying' else state end,
        jsonb_strip_nulls(jsonb_build_object('watch', watch_id, 'attempt', attempt, 'status_code', status_code, 'error', error,
          'due_at', case when state = 'pending' then due_at end))
      from changed
  ), tries as (
    insert into croft.delivery_attempt (delivery_id, attempt, chunk, at, duration_ms, status_code, request, response, error)
      select c.id, c.attempt, t.chunk, t.at, t.duration_ms, t.status_code, t.request, t.response, t.error
      from changed c join jsonb_to_recordset(p_results) as r(id uuid, tries jsonb) on r.id = c.id
      cross join lateral jsonb_to_recordset(coalesce(r.tries, '[]')) as t(chunk integer, at timestamptz, duration_ms integer,
        status_code integer, request jsonb, response jsonb, error jsonb)
  )
  select array_agg(id), array_agg(id) filter (where state <> 'pending'),
      array_agg(sync_id) filter (where state <> 'pending' and sync_id is not null)
    into v_told, v_settled, v_syncs from changed;
  if v_told is null then return '{}'; end if;
  with healthy as (
    select d.app_id, bool_or(r.endpoint = 'well') as is_well, bool_or(r.endpoint = 'ill') as is_ill,
      bool_or(r.endpoint = 'gone') as is_gone, max(r.closes_ms) as closes_ms
    from jsonb_to_recordset(p_results) as r(id uuid, endpoint text, closes_ms float8) join croft.delivery d on d.id = r.id
    where r.id = any (v_told) group by d.app_id order by d.app_id
  )
  update croft.app a set
    endpoint_failures = case when h.is_well then 0 when h.is_ill then a.endpoint_failures + 1 else a.endpoint_failures end,
    endpoint_closed_until = case
      when h.closes_ms is not null then croft.now() + make_interval(secs => h.closes_ms / 1000.0)
      when h.is_well then null
      when h.is_ill and a.endpoint_failures >= 4 then
        croft.now() + make_interval(secs => least(600, 5 * power(2, a.endpoint_failures - 4)))
      else a.endpoint_closed_until end,
    endpoint_gone_at = case when h.is_gone then croft.now() else a.endpoint_gone_at end
  from healthy h where a.id = h.app_id and (h.is_ill or h.is_gone or h.closes_ms is not null
    or a.endpoint_failures > 0 or a.endpoint_closed_until is not null);
  if v_settled is not null then perform croft.release_waiting(v_settled, v_syncs); end if;
  perform croft.announce(v_told);
  return v_told;
end $$;

-- Deliveries that were settled, by whatever way: who waited for them, and their syncs.
create function croft.release_waiting(p_deliveries uuid[], p_syncs uuid[]) returns void
language plpgsql as $$
begin
  with freed as (
    delete from croft.delivery_wait where waits_for = any (p_deliveries) returning delivery_id
  ), counts as (
    select delivery_id, count(*)::integer as many from freed group by delivery_id order by delivery_id
  )
  update croft.delivery d set waits = d.waits - c.many from counts c where d.id = c.delivery_id;
  update croft.sync s set unsettled = s.unsettled - c.many,
      state = case when s.unsettled = c.many then 'settled' else s.state end,
      settled_at = case when s.unsettled = c.many then croft.now() end
    from (select id, count(*)::integer as many from unnest(p_syncs) as x(id) group by id order by id) c where s.id = c.id;
end $$;
