// Makes and aborts bulk actions; a runner carries them out.
import type { Bulk, BulkRequest } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { countBulk, TABLES } from "./find-bulk.ts";
import { type BulkRow, bulkOf, requireBulk } from "./read-bulk.ts";
import { tellBulk } from "./tell-bulk.ts";

export async function createBulk(
  database: Database,
  owner: string,
  request: BulkRequest,
): Promise<Bulk> {
  const { action } = request;
  const filter = meantBy(request);
  return await inTransaction(database, async (client) => {
    const id = newId();
    const { rows: made } = await client.query<BulkRow>(
      `insert into croft.bulk (id, owner, action, filter, total, until_id)
       values ($1, $2, $3, $4, 0, coalesce((select id from ${TABLES[action]} order by id desc limit 1), $1))
       returning *`,
      [id, owner, action, filter],
    );
    const total = await countBulk(client, requireBulk(made));
    const { rows } = await client.query<BulkRow>(
      "update croft.bulk set total = $2 where id = $1 returning *",
      [id, total],
    );
    await tellBulk(client, id, "bulk.started");
    await client.query("select pg_notify('croft_bulk', '')");
    return bulkOf(requireBulk(rows));
  });
}

/** What is done stays done. One that has ended already stays as it is. */
export async function abortBulk(database: Database, { owner }: Scope, id: string): Promise<Bulk> {
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<BulkRow>(
      "select * from croft.bulk where id = $1 and ($2::text is null or owner = $2) for update",
      [id, owner ?? null],
    );
    const bulk = requireBulk(rows);
    if (bulk.status !== "running") return bulkOf(bulk);
    const { rows: aborted } = await client.query<BulkRow>(
      `update croft.bulk set status = 'aborted', finished_at = croft.now(), seq = seq + 1
       where id = $1 returning *`,
      [id],
    );
    await tellBulk(client, id, "bulk.aborted");
    return bulkOf(requireBulk(aborted));
  });
}

/** Nobody who asks for a retry of everything means what went well, nor what somebody has cancelled. */
function meantBy(request: BulkRequest): BulkRequest["filter"] {
  if (request.action === "replay" || request.action === "resync") return request.filter;
  const { action, filter } = request;
  const isLiving = filter.status === "queued" || filter.status === "running";
  if (action === "retry" && filter.status === undefined) return { ...filter, status: "failed" };
  if (action === "retry" && isLiving) {
    const message = "not valid: filter.status: only jobs that have ended can be retried";
    throw new EngineError("invalid-input", message);
  }
  if (action === "cancel" && filter.status !== undefined && !isLiving) {
    const message = "not valid: filter.status: only jobs that wait or run can be cancelled";
    throw new EngineError("invalid-input", message);
  }
  return filter;
}
