// When a watch fails and when it works again: its app is told once of each, and nobody else is.
import { GitError } from "@croft/git";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import type { WatchRow } from "./watch-rows.ts";

export interface WatchFault {
  readonly code: string;
  readonly message: string;
  /** Its credential does not open the repository: nothing of it may be sent. */
  readonly holds: boolean;
  /** It may pass by itself: the app is told when it has come back a few times. */
  readonly mayPass: boolean;
}

/** A network that is away for a moment is no news. */
const PASSING_FAILURES_MAX = 3;

/** Undefined when it is no fault of the remote or the credential, but ours. */
export function faultOf(error: unknown): WatchFault | undefined {
  if (error instanceof EngineError && error.code === "not-found") {
    return { code: "credential-missing", message: error.message, holds: true, mayPass: false };
  }
  const { code } = error as { code?: string };
  if (code === "private-address") return { ...faultText(code, error), holds: true, mayPass: false };
  if (code === "unknown-host") return { ...faultText(code, error), holds: false, mayPass: true };
  if (!(error instanceof GitError)) return undefined;
  switch (error.code) {
    case "auth":
      return { ...faultText("credential-refused", error), holds: true, mayPass: false };
    case "not-found":
      return { ...faultText("repository-not-found", error), holds: true, mayPass: false };
    case "invalid-ref":
      return { ...faultText("ref-not-found", error), holds: false, mayPass: false };
    case "network":
    case "timeout":
      return { ...faultText("remote-unreachable", error), holds: false, mayPass: true };
    case "aborted":
      return undefined;
    default:
      return { ...faultText(`git-${error.code}`, error), holds: false, mayPass: true };
  }
}

function faultText(code: string, error: unknown) {
  return { code, message: error instanceof Error ? error.message : String(error) };
}

export async function watchFailed(
  database: Database,
  watch: Pick<WatchRow, "id">,
  fault: WatchFault,
  retryAfterMs: number,
): Promise<void> {
  await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ state: string; failures: number; app_id: string }>(
      "select state, failures, app_id from croft.watch where id = $1 for update",
      [watch.id],
    );
    const [before] = rows;
    if (before === undefined) return; // removed meanwhile
    const isNews =
      before.state !== "failing" && (!fault.mayPass || before.failures + 1 >= PASSING_FAILURES_MAX);
    const { code, message } = fault;
    await client.query(
      `update croft.watch set failures = failures + 1, error = $2, is_held = is_held or $3,
         state = case when $4 then 'failing' else state end, failed_since = coalesce(failed_since, croft.now()),
         retry_at = croft.now() + make_interval(secs => $5)
       where id = $1`,
      [watch.id, JSON.stringify({ code, message }), fault.holds, isNews, retryAfterMs / 1000],
    );
    if (!isNews) return;
    await tellWatch(client, watch.id, "watch.failed", { error: { code, message } });
    await queueNotice(client, { ...watch, app_id: before.app_id }, "sync.failed", {
      error: { code, message },
    });
  });
}

/** After its own credential was seen to work; `croft.watch` may have failed or not. */
export async function watchWorks(
  database: Database,
  watch: Pick<WatchRow, "id" | "app_id">,
): Promise<void> {
  await inTransaction(database, (client) => recovered(client, watch));
}

async function recovered(client: Queryable, watch: Pick<WatchRow, "id" | "app_id">): Promise<void> {
  const { rows } = await client.query<{ was_failing: boolean }>(
    `with before as (select id, state from croft.watch where id = $1 for update)
     update croft.watch w set failures = 0, error = null, is_held = false, failed_since = null, retry_at = null,
       checked_at = croft.now(),
       state = case when w.state = 'failing' then case when w.told_commit is null then 'pending' else 'synced' end else w.state end
     from before where w.id = before.id returning before.state = 'failing' as was_failing`,
    [watch.id],
  );
  if (rows[0]?.was_failing !== true) return;
  await tellWatch(client, watch.id, "watch.recovered", {});
  await queueNotice(client, watch, "sync.recovered", {});
}

export async function tellWatch(
  client: Queryable,
  watchId: string,
  type: string,
  data: object,
): Promise<void> {
  await client.query(
    `with numbered as (update croft.watch set seq = seq + 1 where id = $1 returning id, app_id, seq),
     told as (insert into croft.event (subject, seq, owner, type, data)
       select id, seq, 'app:' || app_id, $2, $3 from numbered)
     select croft.announce(array[$1::uuid])`,
    [watchId, type, JSON.stringify(data)],
  );
}

async function queueNotice(
  client: Queryable,
  { id, app_id }: Pick<WatchRow, "id" | "app_id">,
  type: string,
  data: object,
): Promise<void> {
  await client.query(
    `insert into croft.delivery (id, app_id, watch_id, type, data)
     select $1, $2, w.id, $4, $5::jsonb || case when $4 = 'sync.failed'
       then jsonb_build_object('since', w.failed_since, 'retry_at', w.retry_at) else '{}' end
     from croft.watch w where w.id = $3`,
    [newId(), app_id, id, type, JSON.stringify(data)],
  );
  await client.query("select pg_notify('croft_delivery', '')");
}
