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
  state jsonb not null default '{}',
  -- Something was or is being sent of which nobody knows yet whether it arrived.
  is_open boolean not null default false,
  -- How often something was to be sent; who has not the last number may not say what became of it.
  writes integer not null default 0,
  -- The attempt that sends: while it counts, nobody else may.
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
  -- The number of the run's last event that it was told of.
  told_seq integer not null default 0,
  is_open boolean not null default true,
  -- Not before, except that a run's end is told at once.
  due_at timestamptz not null default croft.now(),
  -- In a row.
  failures integer not null default 0,
  -- Why it is told no more.
  error text,
  -- The dispatcher that tells it now.
  claimed_by uuid,
  claimed_until timestamptz
);
create index github_check_open on croft.github_check (due_at) where is_open;

create function croft.open_check() returns trigger
language plpgsql as $$
begin
  insert into croft.github_check (run_id) values (new.id)
    on conflict (run_id) do update set is_open = true, due_at = croft.now(), failures = 0, error = null;
  return null;
end $$;

create trigger run_begins_check after insert on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null) execute function croft.open_check();

-- Begun again.
create trigger run_resumes_check after update of finished_at on croft.run for each row
  when (new.owner like 'installation:%' and new.parent_id is null
    and old.finished_at is not null and new.finished_at is null) execute function croft.open_check();

-- Checks that somebody should be told about now, for this dispatcher. One whose dispatcher is dead is anybody's.
create function croft.claim_checks(p_dispatcher uuid, p_max integer) returns setof uuid
language sql as $$
  update croft.github_check c set claimed_by = p_dispatcher, claimed_until = croft.now() + interval '10 minutes'
    where run_id in (
      select k.run_id from croft.github_check k join croft.run r on r.id = k.run_id
      where k.is_open and (r.seq > k.told_seq or r.finished_at is not null)
        and (k.due_at <= croft.now() or (r.finished_at is not null and k.failures = 0))
        and (r.finished_at is null or r.finished_at > croft.now() - interval '3 days') -- nobody waits for older ones
        and (k.claimed_by is null or k.claimed_until <= croft.now()
          or not exists (select from croft.dispatcher d where d.id = k.claimed_by))
      order by k.due_at limit p_max for update of k skip locked)
    returning run_id
$$;
