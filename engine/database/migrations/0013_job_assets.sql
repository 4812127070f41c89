-- Files that jobs make: they are there with the end of the job, and nobody sees them before.

-- In the transaction that settles these jobs: of those that are done, what their attempts have stored. Whoever asks for a
-- file that the event names finds it.
create function croft.keep_job_assets(p_results jsonb, p_settled uuid[]) returns void
language plpgsql as $$
declare
  v_assets uuid[];
begin
  with made as materialized (
    select r.id as job_id, j.owner, j.seq, j.source_task_id, a.*
    from jsonb_to_recordset(p_results) as r(id uuid, assets jsonb)
    join croft.job j on j.id = r.id and j.id = any (p_settled) and j.status = 'done'
    cross join lateral jsonb_to_recordset(r.assets) as
      a(id uuid, name text, media_type text, declared_type text, bytes bigint, sha256 text, commit text)
  ), held as materialized ( -- keeps a sweep away until the transaction ends
    select sha256 from croft.asset_file where sha256 in (select decode(m.sha256, 'hex') from made m)
    order by sha256 for key share
  ), kept as (
    insert into croft.asset (id, owner, kind, name, media_type, declared_type, bytes, sha256, job_id, commit,
        source_task_id)
      select m.id, m.owner, 'generated', m.name, m.media_type, m.declared_type, m.bytes, decode(m.sha256, 'hex'), m.job_id,
        m.commit, m.source_task_id
      from made m where (select count(*) from held) > 0
      returning id, owner, name, bytes, job_id
  ), told as (
    insert into croft.event (subject, seq, owner, type, data)
      select id, 1, owner, 'asset.created',
        jsonb_build_object('kind', 'generated', 'name', name, 'bytes', bytes, 'job_id', job_id) from kept
  ), named as (
    update croft.event e set data = e.data || jsonb_build_object('assets', m.ids)
      from (select job_id, seq, jsonb_agg(id order by id) as ids from made group by job_id, seq) m
      where e.subject = m.job_id and e.seq = m.seq
  )
  select array_agg(id) into v_assets from kept;
  if v_assets is not null then perform croft.announce(v_assets); end if;
end $$;

-- Claims that nobody can make use of any more, a part at a time; false when none is left. An attempt may record its files while
-- it runs; a step's are recorded when its run goes on, and until then they are needed.
create function croft.end_idle_asset_claims(p_max integer) returns boolean
language plpgsql as $$
declare
  v_claims uuid[];
begin
  v_claims := array(
    select id from croft.asset_claim c
    where until <= croft.now() or job_id is not null and not exists (
      select from croft.job j where j.id = c.job_id and j.attempt = c.attempt and (
        j.status = 'running'
        or j.status in ('done', 'failed')
          and exists (select from croft.run_step s where s.job_id = j.id and s.status = 'running')))
    limit p_max for update skip locked);
  perform croft.end_asset_claims(v_claims);
  return cardinality(v_claims) = p_max;
end $$;
