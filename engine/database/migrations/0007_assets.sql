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

create table croft.asset (
  id uuid primary key,
  owner text not null,
  kind text not null check (kind in ('artifact', 'generated', 'upload', 'bundle')),
  name text not null check (char_length(name) between 1 and 255),
  media_type text not null,
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
create index asset_artifact_age on croft.asset (created_at) where kind = 'artifact' and expires_at is null;

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

-- A part of what has had its time, or is an artifact older than this; false when nothing is left of it.
create function croft.forget_assets(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
begin
  return croft.remove_assets(array(
    select id from croft.asset where expires_at < croft.now()
    union all
    select id from croft.asset where kind = 'artifact' and expires_at is null and created_at < p_before
    limit p_max)) = p_max;
end $$;
