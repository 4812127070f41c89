-- What Croft shows at GitHub: comments, pull requests and check runs, each made once and then edited.

-- One row a thing at GitHub. It is there, and open, before the first request for it: whoever finds it open looks at GitHub
-- for what the last one may have made.
create table croft.github_result (
  -- Stands in a comment, unseen, so that it can be found again.
  id uuid primary key,
  -- 'run <id>', 'job <id>', or 'pull <owner> <repository>#<number>'.
  subject text not null,
  kind text not null,
  name text not null,
  owner text not null,
  repository text not null,
  run_id uuid references croft.run on delete cascade,
  job_id uuid references croft.job on delete cascade,
  -- Of the pull request or issue.
  number bigint,
  remote_id bigint,
  url text,
  -- Of what was last sent; the same again is not sent.
  digest text,
  -- What is needed to go on with it, and to show it again when an older request has come after the last.
  state jsonb not null default '{}',
  -- Something was or is being sent of which nobody knows yet whether it arrived.
  is_open boolean not null default false,
  -- How often something was to be sent; who has not the last number may not say what became of it.
  writes integer not null default 0,
  -- The attempt that sends: until it has, or counts no more, nobody else may.
  writer_id uuid,
  writer_attempt integer,
  created_at timestamptz not null default croft.now(),
  updated_at timestamptz not null default croft.now(),
  unique (subject, kind, name)
);
create index github_result_run on croft.github_result (run_id) where run_id is not null;
create index github_result_job on croft.github_result (job_id) where job_id is not null;
create index github_result_age on croft.github_result (updated_at) where run_id is null and job_id is null;

-- Those of runs and jobs go with them; what belongs to a pull request when nobody has used it for so long.
create function croft.forget_github_results(p_before timestamptz, p_max integer) returns boolean
language plpgsql as $$
declare
  v_count integer;
begin
  delete from croft.github_result where id = any (array(
    select id from croft.github_result
    where run_id is null and job_id is null and updated_at < p_before limit p_max));
  get diagnostics v_count = row_count;
  return v_count = p_max;
end $$;

-- Which runs GitHub is told of, and how far it has been.
create table croft.github_check (
  run_id uuid primary key references croft.run on delete cascade,
  -- The run was started, or begun again. GitHub shows the check that was made last: they are made in this order.
  opened_at timestamptz not null default croft.now(),
  -- The commit it is for, as far as is known.
  commit text,
  -- 'owner/repository commit name', or empty: it is not known yet, or the run has none. Null: nobody has looked.
  place text,
  -- It is there, or never will be.
  is_made boolean not null default false,
  -- The number of the run's last event that it was told of.
  told_seq integer not null default 0,
  is_open boolean not null default true,
  -- Not before, except that a run's end is told at once.
  due_at timestamptz not null default croft.now(),
  -- In a row.
  failures integer not null default 0,
  -- Those of them that GitHub would not have.
  refusals integer not null default 0,
  -- Why it is told no more, or not now.
  error text,
  -- The dispatcher that tells it now.
  claimed_by uuid,
  claimed_until timestamptz
);
create index github_check_open on croft.github_check (due_at) where is_open;
create index github_check_place on croft.github_check (place) where place <> '';

create function croft.open_check() returns trigger
language plpgsql as $$
begin
  insert into croft.github_check (run_id) values (new.id)
    on conflict (run_id) do update set is_open = true, opened_at = croft.now(), commit = null, place = null, is_made = false,
      due_at = croft.now(), failures = 0, refusals = 0, error = null;
  return null;
end $$;

create trigger run_begins_check after insert on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null) execute function croft.open_check();

-- Begun again.
create trigger run_resumes_check after update of finished_at on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null
    and old.finished_at is not null and new.finished_at is null) execute function croft.open_check();

-- It works on another commit than its event named, or the event named none.
create function croft.move_check() returns trigger
language plpgsql as $$
begin
  update croft.github_check set commit = null, place = null, is_made = false, due_at = croft.now()
    where run_id = new.id and commit is distinct from new.commit;
  return null;
end $$;

create trigger run_moves_check after update of commit on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null and old.commit is distinct from new.commit)
  execute function croft.move_check();

-- One that is not made will not be: nothing newer waits for it.
create function croft.drop_check() returns trigger
language plpgsql as $$
begin
  update croft.github_check set due_at = croft.now() where run_id = new.id and not is_made;
  return null;
end $$;

create trigger run_drops_check after update of cancel_requested_at on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null
    and old.cancel_requested_at is null and new.cancel_requested_at is not null) execute function croft.drop_check();

-- Nobody waits for those of runs that ended so long ago.
create function croft.is_check_late(p_run croft.run) returns boolean
language sql stable as $$
  select p_run.finished_at <= croft.now() - interval '3 days'
$$;

-- Checks that somebody should be told about now, for this dispatcher. One whose dispatcher is dead is anybody's, and who was
-- taken for dead takes none. Of those that go to the same place the oldest is made first; one that cannot be is not waited for
-- long.
create function croft.claim_checks(p_dispatcher uuid, p_max integer) returns setof uuid
language sql as $$
  update croft.github_check c set claimed_by = p_dispatcher, claimed_until = croft.now() + interval '10 minutes'
    where run_id in (
      select k.run_id from croft.github_check k join croft.run r on r.id = k.run_id
      where exists (select from croft.dispatcher d where d.id = p_dispatcher)
        and k.is_open and k.place is not null and (r.seq > k.told_seq or r.finished_at is not null)
        and (k.due_at <= croft.now() or (r.finished_at is not null and r.seq > k.told_seq and k.failures = 0))
        and croft.is_check_late(r) is not true
        and (k.claimed_by is null or k.claimed_until <= croft.now()
          or not exists (select from croft.dispatcher d where d.id = k.claimed_by))
        and (k.is_made or not exists (
          select from croft.github_check o join croft.run p on p.id = o.run_id
          where o.place = k.place and o.place <> '' and o.is_open and not o.is_made and o.refusals = 0 and o.failures < 5
            and (o.opened_at, o.run_id) < (k.opened_at, k.run_id) and croft.is_check_late(p) is not true))
      order by k.due_at limit p_max for update of k skip locked)
    returning run_id
$$;

-- Whether a run's check may be made if it is not there. Of a run that ends before, the check would hide that of what took its
-- place; one that comes after a newer run's, because it could not be made in time, would, too.
create function croft.may_make_check(p_run uuid) returns boolean
language sql stable as $$
  select exists (
    select from croft.github_check c join croft.run r on r.id = c.run_id
    where c.run_id = p_run and r.cancel_requested_at is null and r.status <> 'cancelled' and not exists (
      select from croft.github_check n join croft.github_result g on g.run_id = n.run_id
      where n.place = c.place and n.place <> '' and (n.opened_at, n.run_id) > (c.opened_at, c.run_id)
        and n.is_made and g.kind = 'check' and g.name like '% ' || n.commit and g.remote_id is not null))
$$;

-- GitHub would not have it. Of one that is there nothing more is told until the run's end; that, and the making, is tried
-- again after 1, 4, 16, 64 and 256 minutes, for somebody may allow it meanwhile.
create function croft.refuse_check(p_run uuid, p_claim uuid, p_error text) returns void
language sql as $$
  update croft.github_check c set claimed_by = null, claimed_until = null, error = p_error,
      is_open = x.goes_on or refusals < 5,
      failures = case when x.goes_on then 0 else failures + 1 end,
      refusals = case when x.goes_on then 0 else refusals + 1 end,
      due_at = case when x.goes_on then 'infinity' else croft.now() + make_interval(secs => 60 * 4 ^ refusals) end
    from (select k.run_id, k.is_made and r.finished_at is null as goes_on
      from croft.github_check k join croft.run r on r.id = k.run_id) x
    where c.run_id = p_run and c.claimed_by = p_claim and x.run_id = c.run_id
$$;

-- Whoever was sending says that it does so no longer, without knowing what has arrived. If another has sent the same thing
-- since, what is shown may now be the older: it is marked, so that it is sent once more. Of a run's check the dispatchers do
-- that, of what another is sending at this moment that one; else it is returned, for whoever asked.
create function croft.leave_result(p_id uuid, p_write integer, p_writer uuid, p_attempt integer)
returns table (state jsonb, writes integer)
language plpgsql as $$
#variable_conflict use_column
declare
  v_result croft.github_result;
  v_is_sent boolean;
begin
  -- The check before its result, as whoever tells it does.
  perform from croft.github_check c join croft.github_result r on r.run_id = c.run_id
    where r.id = p_id and r.kind = 'check' for update of c;
  select * into v_result from croft.github_result where id = p_id for update;
  if v_result.writes = p_write then
    update croft.github_result set writer_id = null, writer_attempt = null where id = p_id;
    return;
  end if;
  v_is_sent := v_result.is_open and v_result.writer_id is not null
    and (v_result.writer_id, v_result.writer_attempt) is distinct from (p_writer, p_attempt);
  update croft.github_result r set digest = null, is_open = true, writes = r.writes + 1,
      writer_id = case when v_is_sent then r.writer_id end, writer_attempt = case when v_is_sent then r.writer_attempt end
    where id = p_id;
  if v_result.kind = 'check' and v_result.run_id is not null then
    update croft.github_check set is_open = true, told_seq = 0, due_at = croft.now() where run_id = v_result.run_id;
  elsif not v_is_sent then
    return query select v_result.state, v_result.writes + 1;
  end if;
end $$;
