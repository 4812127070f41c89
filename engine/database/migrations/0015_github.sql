-- Events of GitHub as they came, what each of them started, and the installations of the App that they tell of.

-- The bytes are what was signed: whoever handles an event reads them anew. The other columns are for finding and ordering.
--   pending ─▶ handled | ignored (nothing was to be done) | failed (given up; sent again, or replayed, it is pending once more)
create table croft.inbox (
  id uuid primary key,
  place bigint not null generated always as identity, -- order of arrival
  delivery_id text not null unique, -- the same when GitHub sends it again
  event text not null,
  action text,
  installation bigint,
  repository_id bigint,
  repository text,
  pull_request bigint,
  sender text,
  body bytea not null,
  is_form boolean not null default false,
  status text not null default 'pending',
  replay integer not null default 0, -- how often somebody asked for it once more: each time it may start work anew
  attempt integer not null default 0, -- fences what is told of it
  failures integer not null default 0,
  refusals integer not null default 0, -- those of them that waiting does not mend
  lost integer not null default 0, -- how often whoever handled it died meanwhile
  dispatcher_id uuid, -- who handles it
  due_at timestamptz not null default croft.now(),
  wanted_at timestamptz not null default croft.now(), -- came, was sent again after it had failed, or replayed
  error jsonb,
  seq integer not null default 1,
  received_at timestamptz not null default croft.now(),
  sent_at timestamptz not null default croft.now(), -- when GitHub first tried to, as far as is known
  settled_at timestamptz
) with (fillfactor = 80);
create unique index inbox_place on croft.inbox (place);
create index inbox_waiting on croft.inbox (coalesce(installation, 0), place) where status = 'pending';
create unique index inbox_claimed on croft.inbox (coalesce(installation, 0)) where dispatcher_id is not null; -- one at a time
create index inbox_installation on croft.inbox (installation, place);
create index inbox_event on croft.inbox (event, place);
create index inbox_status on croft.inbox (status, place);
create index inbox_settled on croft.inbox (settled_at) where settled_at is not null;

-- What an event started, once for each trigger whatever dies meanwhile.
create table croft.inbox_effect (
  inbox_id uuid not null references croft.inbox on delete cascade,
  replay integer not null,
  trigger text not null,
  job_id uuid,
  run_id uuid,
  problem text, -- why it started nothing
  at timestamptz not null default croft.now(),
  primary key (inbox_id, replay, trigger)
);

-- Accounts that have installed the App, as far as events told of them.
create table croft.installation (
  id bigint primary key,
  account text,
  account_type text,
  selection text, -- 'all' or 'selected' repositories
  permissions jsonb,
  events text[],
  -- Of the event that told of it last, by when GitHub first sent it: an older one, late or replayed, changes nothing.
  told_at timestamptz not null default '-infinity',
  told_place bigint not null default 0,
  suspended_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default croft.now()
);

create table croft.installation_repository (
  installation_id bigint not null references croft.installation on delete cascade,
  repository_id bigint not null,
  full_name text not null,
  is_private boolean not null,
  told_at timestamptz not null,
  told_place bigint not null,
  primary key (installation_id, repository_id)
);

-- Pushes find watched repositories by their address, however it is spelt.
create index repository_address on croft.repository (lower(url));

-- Takes events in, all of them or none. Whoever does so waits for the one before: the order of places is the order in which
-- they can be seen, so nobody handles one before another that was there first. No delivery id may come twice in one call.
-- Their bodies come one behind the other.
create function croft.receive_events(p_events jsonb, p_bodies bytea) returns table (delivery_id text, id uuid, status text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_told uuid[];
begin
  perform pg_advisory_xact_lock(727563818, 3);
  with came as materialized (
    select * from jsonb_to_recordset(p_events) as e(id uuid, delivery_id text, event text, action text, installation bigint,
      repository_id bigint, repository text, pull_request bigint, sender text, is_form boolean, starts_at integer, size integer)
  ), new as (
    insert into croft.inbox (id, delivery_id, event, action, installation, repository_id, repository, pull_request, sender,
        body, is_form, sent_at)
      select id, delivery_id, event, action, installation, repository_id, repository, pull_request, sender,
        substring(p_bodies from starts_at + 1 for size), is_form,
        coalesce((select least(g.delivered_at, croft.now()) from croft.gap g where g.delivery_id = came.delivery_id), croft.now())
      from came order by starts_at on conflict (delivery_id) do nothing returning *
  ), again as (
    -- Sent once more after it was given up: somebody wants it.
    update croft.inbox b set status = 'pending', failures = 0, refusals = 0, lost = 0, due_at = croft.now(),
        wanted_at = croft.now(), error = null, settled_at = null, seq = b.seq + 1
      from came c where b.delivery_id = c.delivery_id and b.status = 'failed' returning b.*
  ), told as (
    insert into croft.event (subject, seq, owner, type, data)
      select id, seq, 'local', 'inbox.received', croft.inbox_data(event, action, installation, repository)
      from (select * from new union all select * from again) x order by place returning subject
  )
  select array_agg(subject) into v_told from told;
  if v_told is not null then
    perform croft.announce(v_told);
    perform pg_notify('croft_inbox', '');
  end if;
  return query
    select b.delivery_id, b.id, b.status from croft.inbox b
    where b.delivery_id in (select e ->> 'delivery_id' from jsonb_array_elements(p_events) e);
end $$;

-- What every event about an event of GitHub says.
create function croft.inbox_data(p_event text, p_action text, p_installation bigint, p_repository text) returns jsonb
language sql immutable
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'event', p_event, 'action', p_action, 'installation', p_installation, 'repository', p_repository))
$$;

-- The next one of each installation, if it is due and nobody has it or, when it is replayed, one that comes after it: what waits for
-- its next try holds back only its own. So many, and with so many bytes that the last of them may go beyond.
create function croft.claim_events(p_dispatcher uuid, p_max integer, p_bytes bigint)
returns table (id uuid, place text, delivery_id text, event text, body bytea, is_form boolean, replay integer, attempt integer,
  failures integer, refusals integer, waited_ms float8, lost integer, received_at timestamptz, sent_at timestamptz)
language plpgsql rows 4 as $$
#variable_conflict use_column
begin
  -- That a claim is forgotten in a crash costs a second look, for its effects ask once more; not to wait for the disk is quicker.
  perform set_config('synchronous_commit', 'off', true);
  -- Who was taken for dead meanwhile takes nothing: nobody would free it.
  perform from croft.dispatcher where id = p_dispatcher for key share;
  if not found then return; end if;
  -- One after the other: what another takes in the same moment could not be seen.
  perform pg_advisory_xact_lock(727563818, 4);
  return query
    with recursive head as (
      (select coalesce(installation, 0) as line, id, place from croft.inbox where status = 'pending'
        order by coalesce(installation, 0), place limit 1)
      union all
      select n.line, n.id, n.place from head h cross join lateral (
        select coalesce(installation, 0) as line, id, place from croft.inbox
        where status = 'pending' and coalesce(installation, 0) > h.line
        order by coalesce(installation, 0), place limit 1) n
    ), pick as materialized (
      select b.id, b.place, octet_length(b.body) as bytes from head h join croft.inbox b on b.id = h.id
      where b.status = 'pending' and b.dispatcher_id is null and b.due_at <= croft.now() and not exists (
        select from croft.inbox c where coalesce(c.installation, 0) = h.line and c.dispatcher_id is not null)
      order by b.place limit p_max for update of b skip locked
    ), fitting as (
      select id from (select id, sum(bytes) over (order by place) - bytes as before from pick) p where before < p_bytes
    )
    update croft.inbox b set dispatcher_id = p_dispatcher, attempt = b.attempt + 1 from fitting f where b.id = f.id
    returning b.id, b.place::text, b.delivery_id, b.event, b.body, b.is_form, b.replay, b.attempt, b.failures, b.refusals,
      extract(epoch from croft.now() - b.wanted_at)::float8 * 1000, b.lost, b.received_at, b.sent_at;
end $$;

-- How it went, for whoever still has it; false: another has it now, and nothing may be told. What is GitHub's own fault
-- ('github-away') is counted apart: it says nothing of how often the event itself was refused.
create function croft.settle_event(p_id uuid, p_dispatcher uuid, p_attempt integer, p_status text, p_after_ms float8,
  p_error jsonb) returns boolean
language plpgsql as $$
declare
  v_event croft.inbox;
begin
  update croft.inbox set status = p_status, dispatcher_id = null, error = p_error, seq = seq + 1,
      failures = failures + (p_error is not null)::integer,
      refusals = refusals + (p_error is not null and p_error ->> 'code' <> 'github-away')::integer,
      due_at = croft.now() + make_interval(secs => p_after_ms / 1000),
      settled_at = case when p_status <> 'pending' then croft.now() end
    where id = p_id and dispatcher_id = p_dispatcher and attempt = p_attempt and status = 'pending'
    returning * into v_event;
  if not found then return false; end if;
  insert into croft.event (subject, seq, owner, type, data)
    values (v_event.id, v_event.seq, 'local', 'inbox.' || case p_status when 'pending' then 'retrying' else p_status end,
      croft.inbox_data(v_event.event, v_event.action, v_event.installation, v_event.repository)
        || jsonb_strip_nulls(jsonb_build_object('error', p_error, 'due_at', case p_status when 'pending' then v_event.due_at end)));
  perform croft.announce(array[p_id]);
  return true;
end $$;

-- What any event tells: that there is this installation, and what its repository is called now. False: it is an older one, and
-- what came after it is true. The events of one installation come one after the other, so nothing need be locked.
create function croft.keep_known(p_installation bigint, p_event uuid, p_account text, p_account_type text,
  p_repository bigint, p_full_name text, p_is_private boolean) returns boolean
language plpgsql as $$
declare
  v_at timestamptz;
  v_place bigint;
  v_is_older boolean;
begin
  if p_installation is null then return false; end if;
  select sent_at, place into v_at, v_place from croft.inbox where id = p_event;
  select (v_at, v_place) <= (told_at, told_place) into v_is_older from croft.installation where id = p_installation;
  if not found then
    insert into croft.installation (id, account, account_type) values (p_installation, p_account, p_account_type)
      on conflict (id) do nothing;
  elsif v_is_older then
    return false;
  end if;
  if p_repository is not null and not exists (
    select from croft.installation_repository where installation_id = p_installation and repository_id = p_repository
      and ((told_at, told_place) > (v_at, v_place) or full_name = p_full_name and is_private = p_is_private))
  then
    insert into croft.installation_repository as r (installation_id, repository_id, full_name, is_private, told_at, told_place)
      values (p_installation, p_repository, p_full_name, p_is_private, v_at, v_place)
      on conflict (installation_id, repository_id) do update
        set full_name = excluded.full_name, is_private = excluded.is_private, told_at = v_at, told_place = v_place;
  end if;
  return true;
end $$;

-- For an event that starts nothing: all that is to be written of it, in one step. It waits for the disk, as everything does
-- that writes an event: readers would see one whose place is given again after a crash, and miss what gets it then.
create function croft.ignore_event(p_id uuid, p_dispatcher uuid, p_attempt integer, p_installation bigint, p_account text,
  p_account_type text, p_repository bigint, p_full_name text, p_is_private boolean) returns boolean
language plpgsql as $$
begin
  perform croft.keep_known(p_installation, p_id, p_account, p_account_type, p_repository, p_full_name, p_is_private);
  return croft.settle_event(p_id, p_dispatcher, p_attempt, 'ignored', 0, null);
end $$;

-- Events that were settled before, a part of them; what failed can be replayed until then.
create function croft.forget_inbox(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.inbox where id = any (array(
    select id from croft.inbox where settled_at < p_before
    order by settled_at limit p_max for update skip locked));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;
