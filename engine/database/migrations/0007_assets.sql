-- Assets: stored files, by their contents, and the rows that give them names and say where they came from.

-- The one store that belongs to this database: another host's directory must not be taken for it.
create table croft.asset_store (
  one boolean primary key default true check (one),
  id uuid not null
);

-- One row a file. It is written before the file comes to its place and goes in the transaction that removes the file, so
-- whoever refers to it has the file. `due_at`: when a sweep should look whether anybody still does; null while somebody does.
create table croft.asset_file (
  sha256 bytea primary key,
  bytes bigint not null,
  due_at timestamptz
);
create index asset_file_due on croft.asset_file (due_at) where due_at is not null;

-- What all files take together, so that nobody has to sum them up to find out whether there is room for one more. Whoever
-- changes it has the rows of the files before, always in this order.
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

-- Before a file comes to its place. Until when nobody removes it; refused if there would be more than the budget. The same
-- contents once more take no room.
create function croft.claim_asset_file(p_sha256 bytea, p_bytes bigint, p_claim_ms float8, p_budget bigint)
returns timestamptz
language plpgsql as $$
declare
  v_until timestamptz;
  v_is_new boolean;
begin
  insert into croft.asset_file as f (sha256, bytes, due_at)
    values (p_sha256, p_bytes, croft.now() + make_interval(secs => p_claim_ms / 1000))
    on conflict (sha256) do update set due_at = greatest(f.due_at, excluded.due_at)
    returning due_at, xmax = 0 into v_until, v_is_new;
  if v_is_new and (select bytes from croft.asset_usage) > p_budget then
    raise exception 'the budget of assets is used up' using errcode = 'CR002';
  end if;
  return v_until;
end $$;

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
  -- One after the other in one order, or two who remove assets of the same files could wait for each other.
  perform from croft.asset_file where sha256 = any (v_files) order by sha256 for no key update;
  update croft.asset_file set due_at = greatest(due_at, croft.now()) where sha256 = any (v_files);
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
