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
    admins: number;
    sessions: number;
  }>`
    select croft.now() as now,
      current_setting('server_version') as version,
      pg_database_size(current_database()) as size_bytes,
      (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
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
    admins: row.admins,
    sessions: row.sessions,
  };
}
