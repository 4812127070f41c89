// How many runs were at work at the same moment, from the recorded intervals of their steps' jobs.

interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export async function mostAtOnce(database: Queryable, runIds: readonly string[]): Promise<number> {
  const { rows } = await database.query(
    `select coalesce(max(runs), 0)::integer as most from (
       select count(distinct other.run_id) as runs
       from croft.job job join croft.job other
         on other.started_at <= job.started_at and other.finished_at > job.started_at
       where job.run_id = any ($1) and other.run_id = any ($1) and job.type = 'step' and other.type = 'step'
       group by job.id) at_start`,
    [runIds],
  );
  return (rows as { most: number }[])[0]?.most ?? 0;
}
