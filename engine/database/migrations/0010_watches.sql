-- Apps with their addresses, repositories and who watches them, what is to be told, and how telling it went.

alter table croft.app
  add email text,
  add base_url text, -- where deliveries go; an app without one only asks
  add description text not null default '',
  add is_paused boolean not null default false,
  add delivery_slots integer not null default 4,
  add seq integer not null default 0,
  add updated_at timestamptz not null default croft.now(),
  add last_seen_at timestamptz, -- when it last asked, to the minute
  -- How its address behaves: after failures in a row nothing is sent until then; after a 410 not before somebody says so.
  add endpoint_failures integer not null default 0,
  add endpoint_closed_until timestamptz,
  add is_rest_asked boolean not null default false, -- by Retry-After: what is accepted meanwhile does not end it
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
  check_failures integer not null default 0, -- in a row: the remote did not say whether it may still read
  check_after timestamptz, -- nothing of it is sent before: the remote is not asked for every message
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
  removed_at timestamptz -- nothing of it is sent or shown any more; what is left of it goes a part at a time
);
create unique index watch_place on croft.watch (app_id, repository_id, ref) where removed_at is null;
create index watch_app on croft.watch (app_id);
create index watch_removed on croft.watch (id) where removed_at is not null;
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

-- Commits that a host's mirror keeps for a watch (what it was told) or a sync (what is still to be sent), written down before
-- it does: so nobody has to ask git what there is to release.
create table croft.kept_commit (
  repository_id uuid not null references croft.repository on delete cascade,
  host text not null,
  kind text not null check (kind in ('watch', 'sync')),
  subject_id uuid not null,
  primary key (repository_id, host, kind, subject_id)
);

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
  path_keys bigint[] not null default '{}', -- of its files
  above_keys bigint[] not null default '{}', -- of the directories above them
  is_superseded boolean not null default false, -- a reset tells all anew: it is not tried again
  waits integer not null default 0, -- how many before it have to be settled first
  state text not null default 'pending',
  host text,
  attempt integer not null default 0, -- fences what is told of it
  failures integer not null default 0, -- by which the next try is set
  refusals integer not null default 0, -- 5xx in a row
  unsent integer not null default 0, -- tries in a row of which nothing went out
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
create index delivery_watch on croft.delivery (watch_id, number);
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
-- What it has the answers of already takes no turn, though that may not be written down yet. Who has least on its way comes
-- first, and among equals chance decides: however much some have to be told, nobody waits for all of it.
create function croft.claim_deliveries(p_dispatcher uuid, p_host text, p_max integer, p_answered uuid[] default '{}')
returns table (id uuid, type text, created_at timestamptz, files jsonb, data jsonb, message integer, app_id uuid, base_url text,
  endpoint_failures integer, watch_id uuid, attempt integer, failures integer, refusals integer, unsent integer, chunk integer,
  watch json, sync json)
language plpgsql rows 4 as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(727563818, 2);
  -- That a claim is forgotten in a crash costs a message that comes twice; to wait for the disk would cost everybody's turn.
  perform set_config('synchronous_commit', 'off', true);
  -- Who was taken for dead meanwhile takes nothing: nobody would free it.
  perform from croft.dispatcher where id = p_dispatcher for key share;
  if not found then return; end if;
  return query
    with room as materialized (
      select a.id, s.sending, case when a.endpoint_failures > 0 then 1 else a.delivery_slots end - s.sending as free
      from croft.app a cross join lateral (
        select count(*)::integer as sending from croft.delivery s
        where s.app_id = a.id and s.state = 'sending' and s.id <> all (p_answered)) s
      where a.base_url is not null and not a.is_paused and a.deleted_at is null and a.endpoint_gone_at is null
        and coalesce(a.endpoint_closed_until, '-infinity') <= croft.now()
    ), waiting as materialized (
      select x.id, r.sending + row_number() over (partition by r.id order by x.due_at, x.number) as place
      from room r cross join lateral (
        select d.id, d.due_at, d.number from croft.delivery d left join croft.watch w on w.id = d.watch_id
        where d.app_id = r.id and d.state = 'pending' and d.waits = 0 and d.due_at <= croft.now()
          and (d.files is null or not w.is_held and coalesce(w.check_after, '-infinity') <= croft.now())
          and (d.host is null or d.host = p_host
            or not exists (select from croft.dispatcher o where o.host = d.host and o.lease_until > croft.now()))
        order by d.due_at, d.number limit greatest(least(r.free, p_max), 0)) x
    ), chosen as materialized (
      select id from waiting order by place, random() limit p_max
    ), pick as materialized (
      select d.id from chosen c join croft.delivery d on d.id = c.id where d.state = 'pending' and d.waits = 0
      for no key update of d skip locked
    ), claimed as (
      update croft.delivery d set state = 'sending', dispatcher_id = p_dispatcher, attempt = d.attempt + 1,
        started_at = croft.now()
      from pick where d.id = pick.id returning d.*
    )
    select d.id, d.type, d.created_at, d.files, d.data, d.message, d.app_id, a.base_url, a.endpoint_failures, d.watch_id, d.attempt,
      d.failures, d.refusals, d.unsent, d.chunk,
      case when w.id is not null then
        json_build_object('id', w.id, 'url', r.url, 'ref', coalesce(s.ref, w.told_ref, nullif(w.ref, ''))) end,
      case when s.id is not null then json_build_object('id', s.id, 'from_commit', s.from_commit, 'to_commit', s.to_commit,
        'is_resync', s.is_resync, 'is_reset', s.is_reset, 'messages', s.messages, 'number', d.number - d.message) end
    from claimed d join croft.app a on a.id = d.app_id
      left join croft.watch w on w.id = d.watch_id left join croft.repository r on r.id = w.repository_id
      left join croft.sync s on s.id = d.sync_id;
end $$;

-- How deliveries went, if they are still this dispatcher's. Who waited for one that is settled goes on; an address that fails
-- again and again rests, for longer each time.
create function croft.settle_deliveries(p_dispatcher uuid, p_results jsonb, p_tries jsonb) returns uuid[]
language plpgsql as $$
declare
  v_settled uuid[];
  v_told uuid[];
  v_syncs uuid[];
begin
  perform from croft.delivery d join jsonb_to_recordset(p_results) as r(id uuid) on d.id = r.id order by d.id for update of d;
  with changed as (
    update croft.delivery d set
      state = case when r.state = 'pending' and d.is_superseded then 'cancelled' else r.state end, dispatcher_id = null,
      due_at = croft.now() + make_interval(secs => coalesce(r.after_ms, 0) / 1000.0),
      failures = d.failures + coalesce(r.fails, false)::integer, refusals = coalesce(r.refusals, 0),
      unsent = case when r.is_unsent then d.unsent + 1 else 0 end,
      chunk = coalesce(r.chunk, d.chunk), status_code = r.status_code, error = r.error, seq = d.seq + 1,
      settled_at = case when r.state <> 'pending' or d.is_superseded then croft.now() end
    from jsonb_to_recordset(p_results) as r(id uuid, attempt integer, state text, after_ms float8, fails boolean,
      refusals integer, is_unsent boolean, chunk integer, status_code integer, error jsonb)
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
      from changed c join jsonb_to_recordset(p_tries) as t(id uuid, chunk integer, at timestamptz, duration_ms integer,
        status_code integer, request jsonb, response jsonb, error jsonb) on t.id = c.id
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
      when h.closes_ms is not null then greatest(
        croft.now() + make_interval(secs => h.closes_ms / 1000.0), case when a.is_rest_asked then a.endpoint_closed_until end)
      when a.is_rest_asked and a.endpoint_closed_until > croft.now() then a.endpoint_closed_until
      when h.is_well then null
      when h.is_ill and a.endpoint_failures >= 4 then
        croft.now() + make_interval(secs => least(1800, 5 * power(2, least(a.endpoint_failures, 30) - 4)))
      else a.endpoint_closed_until end,
    is_rest_asked = h.closes_ms is not null or coalesce(a.is_rest_asked and a.endpoint_closed_until > croft.now(), false),
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
  if exists (select from croft.delivery_wait where waits_for = any (p_deliveries)) then
    with freed as (
      delete from croft.delivery_wait where waits_for = any (p_deliveries) returning delivery_id
    ), counts as (
      select delivery_id, count(*)::integer as many from freed group by delivery_id order by delivery_id
    )
    update croft.delivery d set waits = d.waits - c.many from counts c where d.id = c.delivery_id;
  end if;
  update croft.sync s set unsettled = s.unsettled - c.many,
      state = case when s.unsettled = c.many then 'settled' else s.state end,
      settled_at = case when s.unsettled = c.many then croft.now() end
    from (select id, count(*)::integer as many from unnest(p_syncs) as x(id) group by id order by id) c where s.id = c.id;
end $$;

-- Whom the messages of a new sync have to wait for: order is kept for each path, and between a path and what lies above or
-- below it. A reset tells everything anew: what is pending of earlier syncs is not sent any more, and what is on its way is
-- waited for, once. The watch is locked: no other sync of it is queued at the same time.
create function croft.queue_sync(p_sync uuid, p_first bigint) returns void
language plpgsql as $$
declare
  v_watch uuid;
  v_is_reset boolean;
begin
  select watch_id, is_reset into v_watch, v_is_reset from croft.sync where id = p_sync;
  if v_is_reset then perform croft.supersede_deliveries(v_watch); end if;
  -- They cannot be settled from here on: whoever was would never wake those that begin to wait for it now.
  perform from croft.delivery
    where watch_id = v_watch and state in ('pending', 'sending') and files is not null order by id for key share;
  with open as materialized (
    select id, path_keys, above_keys from croft.delivery
    where watch_id = v_watch and state in ('pending', 'sending') and files is not null
  ), new as materialized (
    select id, path_keys, above_keys from croft.delivery where sync_id = p_sync and exists (select from open)
  ), met as (
    select n.id, o.id as waits_for from (select id, unnest(path_keys) as key from new) n
      join (select id, unnest(path_keys || above_keys) as key from open) o using (key)
    union
    select n.id, o.id from (select id, unnest(above_keys) as key from new) n
      join (select id, unnest(path_keys) as key from open) o using (key)
    union
    select n.id, o.id from new n cross join open o where v_is_reset
  ), waiting as (
    insert into croft.delivery_wait (delivery_id, waits_for) select id, waits_for from met returning delivery_id
  ), counts as (select delivery_id, count(*)::integer as many from waiting group by delivery_id)
  update croft.delivery d set state = 'pending', number = p_first + d.message, due_at = croft.now(), seq = 1,
      waits = d.waits + coalesce(c.many, 0)
    from croft.delivery s left join counts c on c.delivery_id = s.id
    where s.sync_id = p_sync and d.id = s.id;
  insert into croft.event (subject, seq, owner, type, data)
    select id, 1, 'app:' || app_id, 'delivery.queued',
      jsonb_build_object('watch', watch_id, 'files', jsonb_array_length(files))
    from croft.delivery where sync_id = p_sync order by id;
end $$;

-- Notices are not of files, and stay.
create function croft.supersede_deliveries(p_watch uuid) returns void
language plpgsql as $$
declare
  v_gone uuid[];
  v_syncs uuid[];
begin
  perform from croft.delivery
    where watch_id = p_watch and state in ('pending', 'sending') and files is not null order by id for update;
  update croft.delivery set is_superseded = true where watch_id = p_watch and state = 'sending' and files is not null;
  with gone as (
    update croft.delivery set state = 'cancelled', is_superseded = true, settled_at = croft.now(), seq = seq + 1
      where watch_id = p_watch and state = 'pending' and files is not null returning id, seq, app_id, sync_id
  ), told as (
    insert into croft.event (subject, seq, owner, type, data)
      select id, seq, 'app:' || app_id, 'delivery.cancelled', jsonb_build_object('watch', p_watch) from gone order by id
  )
  select array_agg(id), array_agg(sync_id) filter (where sync_id is not null) into v_gone, v_syncs from gone;
  if v_gone is null then return; end if;
  perform croft.release_waiting(v_gone, v_syncs);
  perform croft.announce(v_gone);
end $$;

-- As for the queue: one plan for all calls, by indexes. One that was made for an empty table would be kept for a full one.
do $$
declare
  v_function regprocedure;
  v_kind text;
begin
  foreach v_function in array array['croft.claim_deliveries'::regproc::regprocedure, 'croft.settle_deliveries'::regproc::regprocedure]
  loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', v_function);
    foreach v_kind in array array['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'] loop
      execute format('alter function %s set enable_%s = off', v_function, v_kind);
    end loop;
  end loop;
end $$;
