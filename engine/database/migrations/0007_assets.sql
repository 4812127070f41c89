-- Assets: stored files, by their contents, and the rows that give them names and say where they came from.

-- The one store that belongs to this database: another host's directory must not be taken for it.
create table croft.asset_store (
  one boolean primary key default true check (one),
  id uuid not null
);

-- One row a file that somebody may need. It is written before the file comes to its place, so whoever refers to it has the
-- file. `generation` is part of the file's name: what is removed and stored once more is another file, and a removal that
-- comes late finds only its own. `due_at`: since when a sweep should look whether anybody still needs it; null while
-- somebody does.
create table croft.asset_file (
  sha256 bytea primary key,
  generation uuid not null default gen_random_uuid(),
  bytes bigint not null,
  due_at timestamptz
);
create index asset_file_due on croft.asset_file (due_at) where due_at is not null;

-- Who is about to record a file, and needs it until then: an attempt of a job, for as long as it may; anybody else until a
-- given time.
create table croft.asset_claim (
  id uuid primary key,
  sha256 bytea not null references croft.asset_file,
  job_id uuid,
  attempt integer,
  until timestamptz,
  check ((until is null) = (job_id is not null and attempt is not null))
);
create index asset_claim_file on croft.asset_claim (sha256);

-- Files that nobody can come to need any more, from before they are removed until they are: the only ones that are ever
-- removed. Each time it is tried it is put off, longer every time. `error`: why it could not be, when that was told.
create table croft.asset_removal (
  sha256 bytea not null,
  generation uuid not null,
  bytes bigint not null,
  tries integer not null default 0,
  due_at timestamptz not null default croft.now(),
  error text,
  primary key (sha256, generation)
);
create index asset_removal_due on croft.asset_removal (due_at);

-- What all files take together, those too that are not removed yet, so that nobody has to sum them up to find out whether
-- there is room for one more. Whoever changes it has the rows of the files before, always in this order.
create table croft.asset_usage (
  one boolean primary key default true check (one),
  bytes bigint not null
);
insert into croft.asset_usage (bytes) values (0);

create function croft.count_asset_bytes() returns trigger
language plpgsql as $$
declare
  v_more bigint;
begin
  if tg_op = 'INSERT' then
    select sum(bytes) into v_more from came;
  else
    select -sum(bytes) into v_more from went;
  end if;
  if v_more <> 0 then update croft.asset_usage set bytes = bytes + v_more; end if;
  return null;
end $$;
create trigger asset_file_came after insert on croft.asset_file
  referencing new table as came for each statement execute function croft.count_asset_bytes();
create trigger asset_file_went after delete on croft.asset_file
  referencing old table as went for each statement execute function croft.count_asset_bytes();
create trigger asset_removal_came after insert on croft.asset_removal
  referencing new table as came for each statement execute function croft.count_asset_bytes();
create trigger asset_removal_went after delete on croft.asset_removal
  referencing old table as went for each statement execute function croft.count_asset_bytes();

-- Before a file comes to its place: its generation, which nobody removes while the claim lasts. Refused if there would be
-- more than the budget. The same contents once more take no room.
create function croft.claim_asset_file(p_claim uuid, p_sha256 bytea, p_bytes bigint, p_job uuid, p_attempt integer,
  p_for_ms float8, p_budget bigint)
returns uuid
language plpgsql as $$
declare
  v_generation uuid;
  v_is_new boolean;
begin
  insert into croft.asset_file as f (sha256, bytes) values (p_sha256, p_bytes)
    on conflict (sha256) do update set bytes = f.bytes -- held, so that it cannot go before the claim is there
    returning generation, xmax = 0 into v_generation, v_is_new;
  if v_is_new and (select bytes from croft.asset_usage) > p_budget then
    raise exception 'the budget of assets is used up' using errcode = 'CR002';
  end if;
  insert into croft.asset_claim (id, sha256, job_id, attempt, until)
    values (p_claim, p_sha256, p_job, p_attempt, croft.now() + make_interval(secs => p_for_ms / 1000));
  return v_generation;
end $$;

-- A sweep should look at these. One after the other in one order, or two who let go of the same files could wait for each
-- other.
create function croft.look_at_asset_files(p_files bytea[]) returns void
language plpgsql as $$
begin
  perform from croft.asset_file where sha256 = any (p_files) order by sha256 for no key update;
  update croft.asset_file set due_at = coalesce(due_at, croft.now()) where sha256 = any (p_files);
end $$;

create function croft.end_asset_claims(p_claims uuid[]) returns void
language plpgsql as $$
declare
  v_files bytea[];
begin
  with gone as (delete from croft.asset_claim where id = any (p_claims) returning sha256)
  select array_agg(distinct sha256) into v_files from gone;
  if v_files is not null then perform croft.look_at_asset_files(v_files); end if;
end $$;

-- Of a part of the files that should be looked at, those that nobody needs are given up; false when none is left. Whoever
-- wants to store the same contents meanwhile waits for this, and then has a generation of their own; whoever records an asset
-- of a file holds it, and is passed by.
create function croft.give_up_asset_files(p_max integer) returns boolean
language plpgsql as $$
declare
  v_due bytea[];
begin
  v_due := array(
    select sha256 from croft.asset_file where due_at is not null order by due_at limit p_max for update skip locked);
  -- Other statements than the one that locked: they see every asset and claim that came before.
  update croft.asset_file f set due_at = null where sha256 = any (v_due) and (
    exists (select from croft.asset a where a.sha256 = f.sha256)
    or exists (select from croft.asset_claim c where c.sha256 = f.sha256));
  with gone as (
    delete from croft.asset_file where sha256 = any (v_due) and due_at is not null returning sha256, generation, bytes
  )
  insert into croft.asset_removal (sha256, generation, bytes) select sha256, generation, bytes from gone;
  return cardinality(v_due) = p_max;
end $$;

-- Some files to remove, each for one who asks. What is not told to be gone comes again: after a minute, and then after twice as
-- long each time, up to an hour.
create function croft.take_asset_removals(p_max integer) returns table (sha256 bytea, generation uuid)
language sql as $$
  update croft.asset_removal r set tries = r.tries + 1,
    due_at = croft.now() + least(interval '1 minute' * 2 ^ least(r.tries, 10), interval '1 hour')
  from (
    select d.sha256, d.generation from croft.asset_removal d where d.due_at <= croft.now()
    order by d.due_at limit p_max for update skip locked
  ) d
  where r.sha256 = d.sha256 and r.generation = d.generation
  returning r.sha256, r.generation;
$$;

create table croft.asset (
  id uuid primary key,
  owner text not null,
  kind text not null check (kind in ('artifact', 'generated', 'upload', 'bundle')),
  name text not null check (char_length(name) between 1 and 255),
  media_type text not null,
  declared_type text,
  bytes bigint not null,
  sha256 bytea not null references croft.asset_file,
  job_id uuid,
  run_id uuid,
  step text,
  item text,
  commit text,
  source_task_id text,
  seq integer not null default 1,
  created_at timestamptz not null default croft.now(),
  expires_at timestamptz
);
create index asset_owner on croft.asset (owner, id);
create index asset_file_use on croft.asset (sha256);
create index asset_job on croft.asset (job_id, id) where job_id is not null;
create index asset_run on croft.asset (run_id, id) where run_id is not null;
create index asset_commit on croft.asset (commit, id) where commit is not null;
create index asset_source on croft.asset (source_task_id, id) where source_task_id is not null;
create index asset_step on croft.asset (step, id) where step is not null;
create index asset_kind on croft.asset (kind, id);
create index asset_name on croft.asset (name, id);
create index asset_type on croft.asset (split_part(media_type, ';', 1), id);
create index asset_top_type on croft.asset (split_part(media_type, '/', 1), id);
create index asset_declared_type on croft.asset (declared_type, id) where declared_type is not null;
create index asset_expiry on croft.asset (expires_at) where expires_at is not null;
create index asset_age on croft.asset (kind, created_at) where expires_at is null;

-- Rows only: the file goes by the sweep, if no other row has it. Returns how many there were.
create function croft.remove_assets(p_assets uuid[]) returns integer
language plpgsql as $$
declare
  v_gone uuid[];
  v_files bytea[];
begin
  with gone as (
    delete from croft.asset where id = any (p_assets) returning id, owner, seq, sha256
  ), told as (
    insert into croft.event (subject, seq, owner, type, data) select id, seq + 1, owner, 'asset.removed', '{}' from gone
  )
  select array_agg(id), array_agg(distinct sha256) into v_gone, v_files from gone;
  if v_gone is null then return 0; end if;
  perform croft.look_at_asset_files(v_files);
  perform croft.announce(v_gone);
  return cardinality(v_gone);
end $$;

-- A part of those of a kind that are older than this; false when nothing is left of it.
create function croft.forget_assets(p_kind text, p_before timestamptz, p_max integer) returns boolean
language sql as $$
  select croft.remove_assets(array(
    select id from croft.asset where kind = p_kind and expires_at is null and created_at < p_before
    limit p_max)) = p_max;
$$;

create function croft.forget_artifacts(p_before timestamptz, p_max integer) returns boolean
language sql as $$ select croft.forget_assets('artifact', p_before, p_max) $$;
create function croft.forget_uploads(p_before timestamptz, p_max integer) returns boolean
language sql as $$ select croft.forget_assets('upload', p_before, p_max) $$;
create function croft.forget_generated(p_before timestamptz, p_max integer) returns boolean
language sql as $$ select croft.forget_assets('generated', p_before, p_max) $$;

-- The same of those that were given a time of their own.
create function croft.forget_expired_assets(p_before timestamptz, p_max integer) returns boolean
language sql as $$
  select croft.remove_assets(array(
    select id from croft.asset where expires_at < p_before limit p_max)) = p_max;
$$;
