// What the queue says about itself, compared with the jobs that are really there: an empty list when they agree.

export interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

/** One statement, hence one moment: it may be asked while others work. */
export async function checkQueue(database: Queryable): Promise<string[]> {
  const { rows } = await database.query(DIFFERENCES);
  return (rows as { difference: string }[]).map(({ difference }) => difference);
}

/** What must be so when nobody works any more. */
export async function checkIdleQueue(database: Queryable): Promise<string[]> {
  const { rows } = await database.query(`
    select format('job %s of %s is still %s', id, owner, status) as difference from croft.job
      where status in ('queued', 'running')
    union all
    select format('workspace %s is still in the ledger: %s', id, entry) from croft.workspace`);
  const left = (rows as { difference: string }[]).map(({ difference }) => difference);
  return [...left.slice(0, 20), ...(await checkQueue(database))];
}

const COUNTS = `
  count as materialized (
    select lane_id, owner,
      count(*) filter (where status = 'running') as running,
      count(*) filter (where status = 'queued' and rank is not null) as queued
    from croft.job where status in ('queued', 'running') group by lane_id, owner
  ), head as (
    select distinct on (lane_id) lane_id, rank, class from croft.job
    where status = 'queued' and rank is not null order by lane_id, rank, id
  ), lane as materialized (
    select l.*, coalesce(c.running, 0) + r.held as true_running, coalesce(c.queued, 0) as true_queued,
      h.rank as true_rank, h.class as true_class,
      not l.is_paused and coalesce(c.queued, 0) > 0 and coalesce(c.running, 0) + r.held < l.max_running as true_open
    from croft.lane l left join count c on c.lane_id = l.id left join head h on h.lane_id = l.id,
      lateral (select count(*) as held from croft.lane_hold where lane_id = l.id) r
  ), owner as (
    select o.*,
      coalesce((select sum(running) from count c where c.owner = o.id), 0) as true_running,
      (select count(*) from lane l where l.owner = o.id and true_open and true_class = 0) as true_background,
      (select count(*) from lane l where l.owner = o.id and true_open and true_class = 1) as true_normal,
      (select count(*) from lane l where l.owner = o.id and true_open and true_class = 2) as true_interactive
    from croft.owner o
  ), said as materialized (
    select j.id, j.status, j.seq, count(e.seq) as events, max(e.seq) as last,
      count(*) filter (where e.type in ('job.done', 'job.failed', 'job.cancelled')) as ends,
      count(*) filter (where e.type = 'job.done') as successes
    from croft.job j left join croft.event e on e.subject = j.id group by j.id
  )`;

const DIFFERENCES = `
  with ${COUNTS}
  select format('the queue counts %s running, there are %s', q.running, x.running) as difference
    from croft.queue q, (select coalesce(sum(running), 0) as running from count) x where q.running <> x.running
  union all
  select format('owner %s counts %s running, there are %s', id, running, true_running)
    from owner where running <> true_running
  union all
  select format('owner %s counts %s background, %s normal, %s interactive lanes open, there are %s, %s, %s',
      id, ready_background, ready_normal, ready_interactive, true_background, true_normal, true_interactive)
    from owner where (ready_background, ready_normal, ready_interactive)
      is distinct from (true_background, true_normal, true_interactive)
  union all
  select format('lane %s of %s counts %s running and %s queued, there are %s and %s',
      key, owner, running, queued, true_running, true_queued)
    from lane where (running, queued) is distinct from (true_running, true_queued)
  union all
  select format('lane %s of %s takes (%s, %s) for its head, it is (%s, %s)',
      key, owner, head_rank, head_class, true_rank, true_class)
    from lane where (head_rank, head_class) is distinct from (true_rank, true_class)
  union all
  select format('lane %s of %s is open at %s, before its owner''s floor of %s',
      l.key, l.owner, l.turn - 8 * l.true_class, o.floor)
    from lane l join croft.owner o on o.id = l.owner where l.true_open and l.turn - 8 * l.true_class < o.floor
  union all
  select format('job %s of %s is %s in a lane that is not there', j.id, j.owner, j.status)
    from croft.job j where j.status in ('queued', 'running')
      and (not exists (select from croft.lane l where l.id = j.lane_id and l.owner = j.owner and l.key = j.key)
        or not exists (select from croft.owner o where o.id = j.owner))
  union all
  select format('job %s is running with worker %s, which has ended or never was', j.id, j.worker_id)
    from croft.job j left join croft.worker w on w.id = j.worker_id
    where j.status = 'running' and (w.id is null or w.ended_at is not null)
  union all
  select format('job %s is %s and has a worker, or a time of its end that does not fit', id, status) from croft.job
    where (status <> 'running' and worker_id is not null)
      or (finished_at is not null) <> (status in ('done', 'failed', 'cancelled'))
  union all
  select format('job %s is %s with number %s and has %s events up to %s, %s of them ends, %s successes',
      id, status, seq, events, last, ends, successes)
    from said where seq <> last or events <> seq or successes > 1
      or ends <> (status in ('done', 'failed', 'cancelled'))::int
  limit 20`;
