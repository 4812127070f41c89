// The time that schedules go by, and the word by which their runners look again.
import type { Queryable } from "../database/in-transaction.ts";

/** The database's clock decides, which all processes share. */
export async function timeOf(client: Queryable): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>("select croft.now() as now");
  const [row] = rows;
  if (row === undefined) throw new Error("the database has no time");
  return row.now;
}

export async function tellRunners(client: Queryable): Promise<void> {
  await client.query("select pg_notify('croft_schedule', '')");
}
