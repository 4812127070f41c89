// The numbers of the Overview page that the engine knows.
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import type { Overview } from "@croft/contract";
import { sql } from "kysely";
import type { Engine } from "../engine.ts";

export type EngineOverview = Omit<Overview, "requests" | "process">;

export async function readOverview({
  config,
  database,
  version,
  startedAt,
}: Engine): Promise<EngineOverview> {
  const askedAt = performance.now();
  await sql`select 1`.execute(database.kysely);
  const roundTripMs = performance.now() - askedAt;
  const { rows } = await sql<{
    now: Date;
    version: string;
    size_bytes: string;
    connections: number;
    apps: Overview["apps"];
    admins: number;
    sessions: number;
  }>`
    select croft.now() as now,
      current_setting('server_version') as version,
      pg_database_size(current_database()) as size_bytes,
      (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
      json_build_object(
        'total', (select count(*) from croft.app where deleted_at is null),
        'stopped', (select count(*) from croft.app where deleted_at is null and not is_paused
          and (endpoint_gone_at is not null or endpoint_closed_until > croft.now())),
        'failing_watches', (select count(*) from croft.watch w join croft.app a on a.id = w.app_id
          where w.state = 'failing' and a.deleted_at is null),
        'failed_deliveries', ${countDeliveries("failed")},
        'quarantined_deliveries', ${countDeliveries("quarantined")},
        'expiring_credentials', (select count(*) from croft.credential
          where expires_at <= croft.now() + interval '7 days')
      ) as apps,
      (select count(*) from croft.admin)::int as admins,
      (select count(*) from croft.session where expires_at > croft.now()
        and last_seen_at > croft.now() - ${`${config.session.idle} milliseconds`}::interval)::int as sessions
  `.execute(database.kysely);
  const [row] = rows;
  if (row === undefined) throw new Error("a select of one row returned none");
  const disk = await statfs(config.data);
  return {
    version,
    started_at: startedAt.toISOString(),
    now: row.now.toISOString(),
    host: hostname(),
    database: {
      mode: database.mode,
      version: row.version,
      size_bytes: Number(row.size_bytes),
      connections: row.connections,
      round_trip_ms: Math.round(roundTripMs * 100) / 100,
    },
    disk: {
      path: config.data,
      free_bytes: disk.bavail * disk.bsize,
      // As `df` counts: what is reserved for root is neither used nor to be had.
      total_bytes: (disk.blocks - disk.bfree + disk.bavail) * disk.bsize,
    },
    apps: row.apps,
    admins: row.admins,
    sessions: row.sessions,
  };
}

/** Whoever has more than this need not know how many exactly. */
const COUNT_MAX = 1001;

function countDeliveries(state: "failed" | "quarantined") {
  return sql`(select count(*) from (
    select from croft.delivery d join croft.app a on a.id = d.app_id
    where d.state in ('failed', 'quarantined') and d.state = ${state} and a.deleted_at is null
    limit ${COUNT_MAX}) counted)`;
}
