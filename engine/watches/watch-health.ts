// When a watch fails and when it works again: its app is told once of each, and nobody else is.
import { GitError } from "@croft/git";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import { GithubError } from "../github/github-error.ts";
import { newId } from "../new-id.ts";
import { CipherError } from "../secrets/cipher.ts";
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
/** A watch that fails is tried more seldom each time, up to these. */
const SELDOM_MS_MAX = 15 * 60_000;
const SELDOM_POLLS_MAX = 16;
/** Polls do not come to the second: the one that is meant must not come too early. */
const EARLY = 0.8;

/** What a repository has and no sync tells; it stays so until somebody changes it. */
export class UnsyncableError extends Error {
  override readonly name = "UnsyncableError";
  readonly code: "path-too-deep" | "too-many-files";

  constructor(code: UnsyncableError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A fault of ours at one watch: its app hears that there is one, our log has the rest. */
export const OWN_FAULT: WatchFault = {
  ...{ code: "not-synced", message: "Croft could not sync it; its operator can see why" },
  ...{ holds: false, mayPass: true },
};

/** Undefined when it is no fault of the remote or the credential, but ours. */
export function faultOf(error: unknown): WatchFault | undefined {
  if (error instanceof EngineError && error.code === "not-found") {
    return { code: "credential-missing", message: error.message, holds: true, mayPass: false };
  }
  if (error instanceof EngineError && error.code === "secret-key-missing") return UNREADABLE;
  if (error instanceof CipherError) return UNREADABLE;
  if (error instanceof UnsyncableError)
    return { ...faultText(error.code, error), holds: false, mayPass: false };
  const { code } = error as { code?: string };
  if (code === "private-address") return { ...faultText(code, error), holds: true, mayPass: false };
  if (code === "unknown-host") {
    const { cause } = error as Error;
    const isSilent = cause !== undefined && !NO_SUCH_NAME.includes(codeOf(cause) ?? "");
    return {
      ...faultText(isSilent ? "resolver-silent" : code, error),
      holds: false,
      mayPass: true,
    };
  }
  if (!(error instanceof GitError)) return undefined;
  if (error.cause instanceof GithubError) return githubFault(error.cause);
  if (isStartError(error.cause))
    return { ...faultText("git-not-started", error), holds: false, mayPass: true };
  switch (error.code) {
    case "auth":
      return { ...faultText("credential-refused", error), holds: true, mayPass: false };
    case "not-found":
      return { ...faultText("repository-not-found", error), holds: true, mayPass: false };
    case "invalid-ref":
      return { ...faultText("ref-not-found", error), holds: false, mayPass: false };
    case "network":
    case "busy":
    case "timeout":
      return { ...faultText("remote-unreachable", error), holds: false, mayPass: true };
    case "aborted":
      return undefined;
    default:
      return { ...faultText(`git-${error.code}`, error), holds: false, mayPass: true };
  }
}

/** The App gave no token: for now, or because its installation may not. */
function githubFault(error: GithubError): WatchFault {
  return error.mayPass
    ? { ...faultText("remote-unreachable", error), holds: false, mayPass: true }
    : { ...faultText("credential-refused", error), holds: true, mayPass: false };
}

/** The value is not told, nor what of it is damaged. */
const UNREADABLE: WatchFault = {
  code: "credential-unreadable",
  message: "the credential cannot be decrypted here; set it again",
  ...{ holds: true, mayPass: false },
};

const NO_SUCH_NAME = ["ENOTFOUND", "ENODATA", "EAI_NONAME"];

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** The system could not start git: too much of something, for the moment or in what was asked. */
function isStartError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.syscall?.startsWith("spawn") === true;
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
  const fail = async (client: Queryable) => {
    const { rows } = await client.query<{ state: string; failures: number; app_id: string }>(
      "select state, failures, app_id from croft.watch where id = $1 and removed_at is null for no key update",
      [watch.id],
    );
    const [before] = rows;
    if (before === undefined) return; // removed meanwhile
    const isNews =
      before.state !== "failing" && (!fault.mayPass || before.failures + 1 >= PASSING_FAILURES_MAX);
    const { code, message } = fault;
    const { rows: after } = await client.query<{ seq: number }>(
      `update croft.watch w set failures = w.failures + 1, seq = w.seq + $4::boolean::integer, error = $2,
         is_held = is_held or $3, state = case when $4 then 'failing' else state end,
         failed_since = coalesce(failed_since, croft.now()),
         retry_at = croft.now() + make_interval(secs => b.secs * least(greatest(1, $6 / b.secs), $7, 2 ^ least(w.failures, 20)))
       from (select x.id, least($5::float8, ${EARLY} * r.poll_ms / 1000) as secs
         from croft.watch x join croft.repository r on r.id = x.repository_id where x.id = $1) b
       where w.id = b.id returning w.seq`,
      [
        ...[watch.id, JSON.stringify({ code, message }), fault.holds, isNews],
        ...[retryAfterMs / 1000, SELDOM_MS_MAX / 1000, SELDOM_POLLS_MAX],
      ],
    );
    const [row] = after;
    if (!isNews || row === undefined) return;
    const subject = { ...watch, ...row, app_id: before.app_id };
    await announceWatch(client, subject, "watch.failed", { error: { code, message } });
    await queueNotice(client, watch.id, "sync.failed", { error: { code, message } });
  };
  await despiteDeadlocks(() => inTransaction(database, fail));
}

/** After its own credential was seen to work; `croft.watch` may have failed or not. */
export async function watchWorks(
  database: Database,
  watch: Pick<WatchRow, "id" | "app_id">,
): Promise<void> {
  await despiteDeadlocks(() => inTransaction(database, (client) => recovered(client, watch)));
}

async function recovered(client: Queryable, watch: Pick<WatchRow, "id" | "app_id">): Promise<void> {
  const { rows } = await client.query<{ was_failing: boolean; seq: number }>(
    `with before as (select id, state from croft.watch where id = $1 and removed_at is null for no key update)
     update croft.watch w set failures = 0, error = null, is_held = false, failed_since = null, retry_at = null,
       checked_at = croft.now(), seq = seq + (w.state = 'failing')::integer,
       state = case when w.state = 'failing' then case when w.told_commit is null then 'pending' else 'synced' end else w.state end
     from before where w.id = before.id returning before.state = 'failing' as was_failing, w.seq`,
    [watch.id],
  );
  const [row] = rows;
  if (row?.was_failing !== true) return;
  await announceWatch(client, { ...watch, seq: row.seq }, "watch.recovered", {});
  await queueNotice(client, watch.id, "sync.recovered", {});
}

/**
 * `seq` is the watch's next, set together with what else changes in it: a row that a transaction writes twice is checked
 * against all it refers to, which locks the repository after the watch, and others do it the other way round.
 */
export async function announceWatch(
  client: Queryable,
  { id, app_id, seq }: Pick<WatchRow, "id" | "app_id"> & { readonly seq: number },
  type: string,
  data: object,
): Promise<void> {
  await client.query(
    `with told as (insert into croft.event (subject, seq, owner, type, data) values ($1, $2, $3, $4, $5))
     select croft.announce(array[$1::uuid])`,
    [id, seq, `app:${app_id}`, type, JSON.stringify(data)],
  );
}

async function queueNotice(
  client: Queryable,
  watchId: string,
  type: string,
  data: object,
): Promise<void> {
  await client.query(
    `select croft.queue_notice($1, w.id, $3, $4::jsonb || case when $3 = 'sync.failed'
       then jsonb_build_object('since', w.failed_since, 'retry_at', w.retry_at) else '{}' end)
     from croft.watch w where w.id = $2`,
    [newId(), watchId, type, JSON.stringify(data)],
  );
}
