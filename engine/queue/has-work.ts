// Whether anything is under way: a job that waits or runs, a run that has not ended.
import type { Database } from "../database/open-database.ts";

export async function hasWork({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query<{ has_work: boolean }>(
    `select exists (select from croft.job where status = 'running')
       or exists (select from croft.job where status = 'queued' and rank is not null)
       or exists (select from croft.job where status = 'queued' and rank is null)
       or exists (select from croft.run where status in ('queued', 'running', 'waiting')) as has_work`,
  );
  return rows[0]?.has_work ?? false;
}
