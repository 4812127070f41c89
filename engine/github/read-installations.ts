// Installations of the App as admins see them, and how GitHub stands as a whole.
import type {
  GithubInstallation,
  GithubInstallationDetails,
  GithubInstallationList,
  GithubInstallationQuery,
  GithubState,
} from "@croft/contract";
import type { Config } from "../config/config.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { listGithubEvents } from "./read-inbox.ts";
import { webhookSecrets } from "./verify-signature.ts";

interface InstallationRow {
  readonly id: string;
  readonly account: string | null;
  readonly account_type: string | null;
  readonly selection: string | null;
  readonly repositories: number;
  readonly pending: number;
  readonly failed: number;
  readonly last_received_at: Date | null;
  readonly suspended_at: Date | null;
  readonly deleted_at: Date | null;
  readonly created_at: Date;
}

interface DetailRow extends InstallationRow {
  readonly permissions: Record<string, unknown> | null;
  readonly events: string[] | null;
}

interface RepositoryRow {
  readonly id: string;
  readonly full_name: string;
  readonly is_private: boolean;
}

interface StateRow
  extends Pick<
    GithubState,
    "installations" | "pending" | "failed" | "handled_last_day" | "ignored_last_day"
  > {
  readonly last_received_at: Date | null;
}

const SELECT = `select i.id::text, i.account, i.account_type, i.selection, i.suspended_at, i.deleted_at, i.created_at,
    (select count(*)::integer from croft.installation_repository where installation_id = i.id) as repositories,
    (select count(*)::integer from croft.inbox where coalesce(installation, 0) = i.id and status = 'pending') as pending,
    (select count(*)::integer from croft.inbox where installation = i.id and status = 'failed') as failed,
    (select received_at from croft.inbox where installation = i.id order by place desc limit 1) as last_received_at`;
const REPOSITORIES_MAX = 1000;
const LAST_EVENTS = 20;

export async function listInstallations(
  client: Queryable,
  { cursor, limit }: GithubInstallationQuery,
): Promise<GithubInstallationList> {
  const { rows } = await client.query<InstallationRow>(
    `${SELECT} from croft.installation i where ($1::bigint is null or i.id > $1) order by i.id limit $2`,
    [cursor ?? null, limit + 1],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    installations: rows.slice(0, limit).map(installationOf),
    next_cursor: last?.id ?? null,
  };
}

export async function readInstallation(
  client: Queryable,
  id: number,
): Promise<GithubInstallationDetails> {
  const { rows } = await client.query<DetailRow>(
    `${SELECT}, i.permissions, i.events from croft.installation i where i.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such installation");
  const { rows: repositories } = await client.query<RepositoryRow>(
    `select repository_id::text as id, full_name, is_private from croft.installation_repository
     where installation_id = $1 order by full_name limit ${REPOSITORIES_MAX}`,
    [id],
  );
  const page = { installation: id, limit: LAST_EVENTS };
  const { events: lastEvents } = await listGithubEvents(client, page);
  const { events: failures } = await listGithubEvents(client, { ...page, status: "failed" });
  return {
    ...installationOf(row),
    permissions: row.permissions === null ? null : textsOf(row.permissions),
    events: row.events,
    known_repositories: repositories.map((each) => ({ ...each, id: Number(each.id) })),
    ...{ last_events: lastEvents, last_failures: failures },
  };
}

export async function readGithubState(client: Queryable, config: Config): Promise<GithubState> {
  const { rows } = await client.query<StateRow>(
    `select (select count(*)::integer from croft.installation where deleted_at is null) as installations,
       (select received_at from croft.inbox order by place desc limit 1) as last_received_at,
       (select count(*)::integer from croft.inbox where status = 'pending') as pending,
       (select count(*)::integer from croft.inbox where status = 'failed') as failed,
       count(*) filter (where status = 'handled')::integer as handled_last_day,
       count(*) filter (where status = 'ignored')::integer as ignored_last_day
     from croft.inbox where settled_at > croft.now() - interval '1 day'`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the database did not count");
  const { appId, apiUrl, webUrl } = config.github;
  return {
    takes_events: webhookSecrets(config).length > 0,
    ...{ app_id: appId ?? null, api_url: apiUrl, web_url: webUrl },
    ...{ ...row, last_received_at: row.last_received_at?.toISOString() ?? null },
  };
}

function installationOf(row: InstallationRow): GithubInstallation {
  const { account, account_type, selection, repositories, pending, failed } = row;
  return {
    ...{ id: Number(row.id), account, account_type, selection, repositories, pending, failed },
    last_received_at: row.last_received_at?.toISOString() ?? null,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** What GitHub says of permissions are texts: `read`, `write`. */
function textsOf(said: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, String(value)]));
}
