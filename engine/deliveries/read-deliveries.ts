// Deliveries as their apps and admins see them, with every try.
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  DeliveryQuery,
} from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import type { DeliveryFile } from "./delivery-files.ts";

interface DeliveryRow {
  readonly id: string;
  readonly app_id: string;
  readonly watch_id: string | null;
  readonly url: string | null;
  readonly type: string;
  readonly state: Delivery["state"] | "staged";
  readonly to_commit: string | null;
  readonly file_count: number;
  readonly first_path: string | null;
  readonly attempt: number;
  readonly waits: number;
  readonly status_code: number | null;
  readonly error: Delivery["error"];
  readonly due_at: Date;
  readonly replay_of: string | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
}

interface AttemptRow extends Omit<DeliveryAttempt, "at"> {
  readonly at: Date;
}

const SELECT = `select d.id, d.app_id, d.watch_id, r.url, d.type, d.state, s.to_commit,
    coalesce(jsonb_array_length(d.files), 0) as file_count, d.files -> 0 ->> 'path' as first_path, d.attempt, d.waits,
    d.status_code, d.error, d.due_at, d.replay_of, d.created_at, d.settled_at
  from croft.delivery d join croft.app a on a.id = d.app_id left join croft.watch w on w.id = d.watch_id
    left join croft.repository r on r.id = w.repository_id left join croft.sync s on s.id = d.sync_id
  where d.state <> 'staged' and a.deleted_at is null and ($1::text is null or 'app:' || d.app_id = $1)`;
const PATHS_MAX = 1000;
const PARTS_MAX = 100;
const ATTEMPTS_MAX = 50;

export async function listDeliveries(
  { pool }: Database,
  scope: Scope,
  { app, watch, state, type, cursor, limit }: DeliveryQuery,
): Promise<DeliveryList> {
  const { rows } = await pool.query<DeliveryRow>(
    `${SELECT} and ($2::uuid is null or d.app_id = $2) and ($3::uuid is null or d.watch_id = $3)
       and ($4::text is null or d.state = $4) and ($5::text is null or d.type = $5) and ($6::uuid is null or d.id < $6)
     order by d.id desc limit $7`,
    [
      ...[scope.owner ?? null, app ?? null, watch ?? null, state ?? null, type ?? null],
      ...[cursor ?? null, limit + 1],
    ],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { deliveries: rows.slice(0, limit).map(deliveryOf), next_cursor: last?.id ?? null };
}

export async function readDelivery(
  client: Queryable,
  scope: Scope,
  id: string,
): Promise<DeliveryDetails> {
  const { rows } = await client.query<DeliveryRow>(`${SELECT} and d.id = $2`, [
    scope.owner ?? null,
    id,
  ]);
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such delivery");
  const { rows: paths } = await client.query<Pick<DeliveryFile, "path" | "change">>(
    `select f ->> 'path' as path, f ->> 'change' as change
     from croft.delivery d cross join lateral jsonb_array_elements(d.files) f where d.id = $1 limit ${PATHS_MAX}`,
    [id],
  );
  const { rows: attempts } = await client.query<AttemptRow>(
    `select attempt, chunk, at, duration_ms, status_code, request, response, error
     from croft.delivery_attempt where delivery_id = $1 order by at desc limit ${ATTEMPTS_MAX}`,
    [id],
  );
  const { rows: parts } = await client.query<DeliveryDetails["parts"][number]>(
    `select p.id, p.state, coalesce(jsonb_array_length(p.files), 0) as files, p.replay_of
     from croft.delivery d join croft.delivery p on p.sync_id = d.sync_id and p.message = d.message
     where d.id = $1 and p.id <> d.id and p.state <> 'staged' order by p.id limit ${PARTS_MAX}`,
    [id],
  );
  return {
    ...deliveryOf(row),
    ...{ parts, paths },
    attempts: attempts.map((each) => ({ ...each, at: each.at.toISOString() })),
  };
}

function deliveryOf(row: DeliveryRow): Delivery {
  const { id, url, type, attempt, error } = row;
  return {
    ...{ id, app: row.app_id, watch: row.watch_id, url, type, attempt, error },
    state: row.state === "staged" ? "pending" : row.state,
    ...{ commit: row.to_commit, files: row.file_count, first_path: row.first_path },
    ...{ waits: row.waits > 0, status_code: row.status_code, replay_of: row.replay_of },
    due_at: row.state === "pending" ? row.due_at.toISOString() : null,
    created_at: row.created_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}
