// Who holds the stream of all events back: the oldest transaction of the whole cluster that has written something.
import type { Queryable } from "../database/in-transaction.ts";

export interface HeldBack {
  readonly pid: number;
  readonly seconds: number;
  readonly application: string;
}

const NOTABLE_SECONDS = 1;

export async function readHeldBack(client: Queryable): Promise<HeldBack | undefined> {
  const { rows } = await client.query<HeldBack>(
    `select pid, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
       coalesce(application_name, '') as application
     from pg_stat_activity
     where backend_xid is not null and pid <> pg_backend_pid()
       and xact_start < clock_timestamp() - make_interval(secs => ${NOTABLE_SECONDS})
     order by age(backend_xid) desc limit 1`,
  );
  return rows[0];
}
