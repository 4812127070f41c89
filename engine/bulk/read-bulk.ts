// A bulk action as the API shows it.
import type { Bulk, BulkRequest } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";

export type BulkRow = BulkRequest & {
  readonly id: string;
  readonly owner: string;
  readonly status: Bulk["status"];
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  /** How far it got: everything up to here is done with. */
  readonly after_id: string | null;
  /** The newest job, delivery or watch there was when it was made. */
  readonly until_id: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

/** A foreign one is not there: nobody learns that it exists. */
export async function readBulk({ pool }: Database, { owner }: Scope, id: string): Promise<Bulk> {
  const { rows } = await pool.query<BulkRow>(
    "select * from croft.bulk where id = $1 and ($2::text is null or owner = $2)",
    [id, owner ?? null],
  );
  return bulkOf(requireBulk(rows));
}

export function requireBulk([row]: readonly BulkRow[]): BulkRow {
  if (row === undefined) throw new EngineError("not-found", "there is no such bulk action");
  return row;
}

export function bulkOf(row: BulkRow): Bulk {
  const { id, owner, action, filter, status, total, done, skipped } = row;
  return {
    ...{ id, owner, action, filter, status, total, done, skipped },
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
