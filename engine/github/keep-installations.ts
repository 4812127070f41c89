// What events tell of installations of the App: who has it, and for which repositories.
import type { Queryable } from "../database/in-transaction.ts";
import { type GithubEvent, objectOf, type Payload, textOf } from "./github-event.ts";
import type { StartedEffect } from "./planned-work.ts";

/** A trigger of nobody's: names of others have no slash at their beginning. */
export const INSTALLATION_TRIGGER = "croft/installation";

interface ToldRepository {
  readonly id: unknown;
  readonly full_name: unknown;
  readonly private: unknown;
}

/** Whether it tells more than every event does. */
export function tellsOfInstallation({ name, action }: GithubEvent): boolean {
  return TELLING.includes(name) || (name === "repository" && action === "deleted");
}

/** In the transaction in which the event becomes handled. Whatever event comes, its installation is known afterwards. */
export async function keepInstallation(
  client: Queryable,
  event: GithubEvent,
): Promise<StartedEffect[]> {
  const { installation: id, name } = event;
  if (id === undefined) return [];
  const { rows } = await client.query<{ is_news: boolean }>(
    "select croft.keep_known($1, $2, $3, $4, $5, $6, $7) as is_news",
    [id, event.id, ...knownBy(event)],
  );
  if (!tellsOfInstallation(event)) return [];
  const hasRemoved = await removeRepositories(client, event);
  if (rows[0]?.is_news !== true) return hasRemoved ? [{ trigger: INSTALLATION_TRIGGER }] : [];
  if (TELLING.includes(name)) {
    await client.query(
      `update croft.installation i set told_at = b.sent_at, told_place = b.place
       from croft.inbox b where i.id = $1 and b.id = $2`,
      [id, event.id],
    );
    await TOLD[name]?.(client, event, id);
  }
  return [{ trigger: INSTALLATION_TRIGGER }];
}

/** Whether all that it had started is of no use any more: nothing of it gets a token. */
export function endsInstallation({ name, action }: GithubEvent): boolean {
  return name === "installation" && action === "deleted";
}

/** Account and repository, as `croft.keep_known` takes them. */
export function knownBy({ payload, repository }: GithubEvent): unknown[] {
  const said = objectOf(objectOf(payload["installation"])?.["account"]);
  const account = said ?? objectOf(objectOf(payload["repository"])?.["owner"]);
  return [
    ...[textOf(account?.["login"]) ?? null, textOf(account?.["type"]) ?? null],
    ...[repository?.id ?? null, repository?.fullName ?? null, repository?.isPrivate ?? null],
  ];
}

type Teller = (client: Queryable, event: GithubEvent, id: number) => Promise<void>;

const TOLD: Readonly<Record<string, Teller>> = {
  installation: tellInstallation,
  installation_repositories: tellRepositories,
  installation_target: async (client, { payload }, id) => {
    await putInstallation(client, id, { account: payload["account"] });
  },
};
const TELLING = Object.keys(TOLD);

async function tellInstallation(client: Queryable, event: GithubEvent, id: number): Promise<void> {
  const { action, payload } = event;
  await putInstallation(client, id, objectOf(payload["installation"]));
  if (action === "created") {
    await client.query("update croft.installation set deleted_at = null where id = $1", [id]);
    await putRepositories(client, event, listOf(payload["repositories"]));
  } else if (endsInstallation(event)) {
    await client.query(
      "update croft.installation set deleted_at = coalesce(deleted_at, croft.now()) where id = $1",
      [id],
    );
    await client.query("delete from croft.installation_repository where installation_id = $1", [
      id,
    ]);
  } else if (action === "suspend" || action === "unsuspend") {
    await client.query(
      `update croft.installation set suspended_at = case when $2 then coalesce(suspended_at, croft.now()) end
       where id = $1`,
      [id, action === "suspend"],
    );
  }
}

async function tellRepositories(client: Queryable, event: GithubEvent, id: number): Promise<void> {
  await putInstallation(client, id, objectOf(event.payload["installation"]));
  await putRepositories(client, event, listOf(event.payload["repositories_added"]));
}

/** What is not said stays as it is. */
async function putInstallation(
  client: Queryable,
  id: number,
  said: Payload | undefined,
): Promise<void> {
  const account = objectOf(said?.["account"]);
  const permissions = objectOf(said?.["permissions"]);
  const events = said?.["events"];
  await client.query(
    `update croft.installation set account = coalesce($2, account), account_type = coalesce($3, account_type),
       selection = coalesce($4, selection), permissions = coalesce($5, permissions), events = coalesce($6, events)
     where id = $1`,
    [
      ...[id, textOf(account?.["login"]) ?? null, textOf(account?.["type"]) ?? null],
      ...[textOf(said?.["repository_selection"]) ?? null],
      permissions === undefined ? null : JSON.stringify(permissions),
      Array.isArray(events) ? events.filter((each) => textOf(each) !== undefined) : null,
    ],
  );
}

async function putRepositories(
  client: Queryable,
  { id, installation }: GithubEvent,
  repositories: readonly ToldRepository[],
): Promise<void> {
  if (repositories.length === 0) return;
  await client.query(
    `insert into croft.installation_repository as k
         (installation_id, repository_id, full_name, is_private, told_at, told_place)
       select $1, r.id, r.full_name, coalesce(r.private, true), b.sent_at, b.place
       from jsonb_to_recordset($3) as r(id bigint, full_name text, private boolean), croft.inbox b
       where b.id = $2 order by r.id
     on conflict (installation_id, repository_id) do update set full_name = excluded.full_name,
         is_private = excluded.is_private, told_at = excluded.told_at, told_place = excluded.told_place
       where (k.told_at, k.told_place) < (excluded.told_at, excluded.told_place)`,
    [installation, id, JSON.stringify(repositories)],
  );
}

/** Whenever it comes: what was told of a repository since stays. */
async function removeRepositories(client: Queryable, event: GithubEvent): Promise<boolean> {
  const { id, name, installation, repository, payload } = event;
  const removed =
    name === "repository"
      ? [repository?.id]
      : listOf(payload["repositories_removed"]).map((each) => each.id);
  const { rowCount } = await client.query(
    `delete from croft.installation_repository k using croft.inbox b
     where b.id = $2 and k.installation_id = $1 and k.repository_id = any ($3)
       and (k.told_at, k.told_place) <= (b.sent_at, b.place)`,
    [installation, id, removed],
  );
  return (rowCount ?? 0) > 0;
}

/** Each once, and only what can be kept: two of one id cannot be written together. */
function listOf(value: unknown): ToldRepository[] {
  const told = new Map<unknown, ToldRepository>();
  for (const each of Array.isArray(value) ? value : []) {
    const said = objectOf(each);
    const id = said?.["id"];
    const full_name = textOf(said?.["full_name"]);
    if (!Number.isSafeInteger(id) || full_name === undefined) continue;
    told.set(id, { id, full_name, private: said?.["private"] !== false });
  }
  return [...told.values()];
}
